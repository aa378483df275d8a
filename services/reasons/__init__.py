"""Every reason for which something asked of the server is not done. How a reason travels is up to each transport."""
