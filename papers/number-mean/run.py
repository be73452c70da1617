"""How often the interval of a mean holds the mean of the people who answered.

python papers/number-mean/run.py --seed 1
"""

from mean_intervals import main

if __name__ == "__main__":
    main()
