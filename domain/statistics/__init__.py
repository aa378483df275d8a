"""What a game tells about those who played it, as numbers that can be added up."""
