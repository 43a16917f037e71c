"""Human studies of GramVis: stereotypes and categories of meanings, people in images."""
