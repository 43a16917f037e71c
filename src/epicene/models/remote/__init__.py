"""What every model behind a server shares: its address, retries, room, counts, bill and shots."""
