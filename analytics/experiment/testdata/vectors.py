# Writes vectors.json, what scipy and statsmodels say of the same figures:
#
#   python3 -m venv venv && venv/bin/python -m pip install scipy statsmodels
#   venv/bin/python testdata/vectors.py > testdata/vectors.json
import json, math
import numpy as np
from scipy import integrate, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

ratios = [([5000, 5200], [1, 1]), ([5000, 5400], [1, 1]), ([8120, 2004], [4, 1]), ([3300, 3300, 3600], [1, 1, 1]), ([9, 31], [1, 3])]
proportions = [(520, 10000, 610, 10000), (30, 100, 45, 100), (0, 50, 3, 50), (7, 12, 2, 9), (100, 100, 90, 100), (12000, 60000, 12600, 60000)]
means = [([1.0, 2, 3, 4, 5], [2.0, 4, 6, 8, 10, 12]), ([0.0] * 90 + [9.99] * 10, [0.0] * 80 + [9.99] * 15 + [99.0] * 5)]
plans = [(0.05, 0.01, 1, 0.05, 0.8), (0.05, 0.01, 2, 0.05, 0.8), (0.3, 0.03, 1, 0.05, 0.8), (0.3, 0.03, 3, 0.05, 0.9), (0.5, -0.1, 1, 0.01, 0.95)]
holms = [[0.01, 0.04, 0.03], [0.001, 0.2, 0.02, 0.02], [0.5]]

def bayes(x, n, y, m):
    c, t = stats.beta(1 + x, 1 + n - x), stats.beta(1 + y, 1 + m - y)
    # Piecewise between quantiles, so that no peak falls between two points.
    points = sorted({0, 1, *[float(q) for d in (c, t) for q in d.ppf([1e-12, 1e-6, 1e-3, .05, .25, .5, .75, .95, .999, 1 - 1e-6, 1 - 1e-12])]})
    def whole(f):
        return sum(integrate.quad(f, a, b, epsabs=1e-13, epsrel=1e-11, limit=200)[0] for a, b in zip(points, points[1:]) if b > a)
    return whole(lambda v: t.pdf(v) * c.cdf(v)), whole(lambda v: t.cdf(v) * c.sf(v))

def plan(p, d, m, alpha, power):
    z = stats.norm.ppf(1 - alpha / (2 * m)) + stats.norm.ppf(power)
    return math.ceil(z * z * (p * (1 - p) + (p + d) * (1 - p - d)) / d / d)

def proportion(x, n, y, m):
    low, high = confint_proportions_2indep(y, m, x, n, method="newcomb", compare="diff", alpha=0.025)
    wilson = proportion_confint(x, n, alpha=0.05, method="wilson")
    chance, loss = bayes(x, n, y, m)
    return {"control": [x, n], "treatment": [y, m], "newcombe": [low, high], "wilson": [max(0, wilson[0]), min(1, wilson[1])], "chance": chance, "loss": loss}

def mean(c, t):
    test = stats.ttest_ind(t, c, equal_var=False)
    interval = test.confidence_interval(0.975)
    return {"control": c, "treatment": t, "p": test.pvalue, "welch": [interval.low, interval.high]}

def ratio(people, weights):
    expected = np.array(weights) / sum(weights) * sum(people)
    chi, p = stats.chisquare(people, expected)
    return {"people": people, "weights": weights, "chi": chi, "p": p}

json.dump({
    "ratios": [ratio(*r) for r in ratios],
    "proportions": [proportion(*p) for p in proportions],
    "means": [mean(*m) for m in means],
    "plans": [{"plan": p, "people": plan(*p)} for p in plans],
    "holm": [{"p": p, "rejected": [bool(r) for r in multipletests(p, 0.05, "holm")[0]]} for p in holms],
}, __import__("sys").stdout, indent=1, default=float)
print()
