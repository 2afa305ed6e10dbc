"""Tools from elsewhere, wired: the gateway before foreign servers, and such servers as tools of a host's own runs."""
