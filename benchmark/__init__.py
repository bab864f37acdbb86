"""Measurements that anyone can repeat; counts are gates, times are only told."""
