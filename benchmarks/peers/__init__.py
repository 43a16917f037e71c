"""The programs that scoring is compared with, each in a process of its own."""
