"""One file per topic, create or replace; the number orders them."""
