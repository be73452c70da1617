"""From tallies to statements about people: debiasing, consistency, likelihood, significance."""
