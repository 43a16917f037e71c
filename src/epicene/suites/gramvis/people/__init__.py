"""What people are asked: whom a meaning suggests, what kind it is, and who is in a picture."""
