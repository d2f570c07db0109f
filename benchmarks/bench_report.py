"""`report` on tables with a phylogeny beside a single fit to them, and how far stabilities move with their fits.

The estimator is the default. The peer is the fit that the report shows. A report does 28: sixteen that measure whether
the knowledge helps, ten to parts of the samples, one with the knowledge and one without.
"""

import numpy as np
from _harness import Table, cpu_seconds
from _kinds import simulated

import tripletree as tt
from tripletree.cluster import DivisiveReCon


def main():
    table = Table("report", [("n", 6), ("features", 8), ("fit", 8), ("report", 8), ("fits", 6), ("no parts", 8)])
    data = simulated("coalescent", 100, 8, 0.1, 0)
    tt.report(data.X, hierarchy=data.truth, n_resamples=1)  # compile
    for n, d in ((424, 8), (5_000, 50)):
        data = simulated("coalescent", n, d, 0.1, 0)
        known = {"hierarchy": data.truth}
        fit, _ = cpu_seconds(lambda data=data, known=known: DivisiveReCon().fit(data.X, **known))
        whole, _ = cpu_seconds(lambda data=data, known=known: tt.report(data.X, **known), repeat=1)
        part, _ = cpu_seconds(lambda data=data, known=known: tt.report(data.X, **known, n_resamples=0), repeat=1)
        table.add(n, d, fit, whole, whole / fit, part)
    table.done()
    print("\nstability of clusters in two reports with other parts: mean, mean difference")
    for resamples in (10, 20):
        for noise in (0.1, 0.5):
            data = simulated("yule", 100, 8, noise, 1)
            known = {"triplets": tt.sample_triplets(data.truth, 100, random_state=0), "n_resamples": resamples}
            found = [tt.report(data.X, **known, n_folds=2, random_state=seed) for seed in (0, 1)]
            one, other = ([x.stability for x in report.clusters] for report in found)
            print(resamples, noise, f"{np.mean(one):.3f} {np.mean(np.abs(np.subtract(one, other))):.3f}", flush=True)


if __name__ == "__main__":
    main()
