"""Games that are being watched, the same for every way of watching them."""
