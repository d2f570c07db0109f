// Soft pairs: assigning samples to clusters so that distances and violated pairs together cost little.
//
// Labels are changed in place. A label of -1 is a sample without cluster, whose pairs cost nothing. A move is made
// where it lowers the sum of all costs by more than its rounding.
#pragma once

#include <cmath>
#include <vector>

#include "grid.hpp"
#include "links.hpp"

namespace tripletree {

// Groups of samples. Must-links join only members of one group.
struct LinkGroups {
    const Index* member;  // group by group
    const Index* first;   // of each group: its members are member[first[c]]..member[first[c + 1] - 1]
    const Index* of;      // the group of each sample
};

// The samples that a move could improve, in ascending order. Pairs join samples of one part only. If all samples of a
// part are in the cluster that is cheapest for them alone, and no pair of it is violated, nothing costs less.
inline std::vector<Index> restless(const Links& links, const Index* part, Index m, const Index* label,
                                   const Index* nearest) {
    Flags moving(m);  // by part: these are no more than samples
    for (Index i = 0; i < m; ++i) {
        if (label[i] != nearest[i]) moving[part[i]] = true;
        for (Index p = links.start[i]; p < links.start[i + 1]; ++p)
            if ((label[i] == label[links.other[p]]) == (links.pair[p] >= links.n_must)) moving[part[i]] = true;
    }
    std::vector<Index> found;
    for (Index i = 0; i < m; ++i)
        if (moving[part[i]]) found.push_back(i);
    return found;
}

class SoftPairs {
   public:
    // base: the cost of each sample by itself in each cluster. It is only read for samples that are looked at.
    // pay: a must-link e between clusters g and h costs pay[e][g] + pay[e][h], a cannot-link within cluster h
    // pay[e][h].
    SoftPairs(Grid<const double> base, Grid<const double> pay, Links links, LinkGroups groups, Index* label,
              Interrupts& watch)
        : base_(base),
          pay_(pay),
          links_(links),
          groups_(groups),
          label_(label),
          watch_(watch),
          m_(base.n_rows),
          k_(static_cast<Index>(base.n_columns)),
          cost_(k_) {}

    // Moves groups as a whole to the cluster of least cost, wherever their members are now. Returns how many moved.
    Count move_groups(const std::vector<Index>& order) {
        Count moves = 0;
        for (const Index c : order) moves += move_group(c);
        return moves;
    }

    // Moves samples until none can be, then groups and chains, and so on. Returns whether nothing can be moved any
    // more. order, large: all samples and groups in the order in which they are looked at. some: the samples that may
    // move, whole parts in ascending order, the order for chains. rounds: of moves of all samples, or of groups and
    // chains.
    //
    // Time O(e k) for the first round, after which only samples at the far ends of links of those moved are looked at.
    // A part of which neither sample nor group nor chain could be moved is done with: nothing else changes its costs.
    bool settle(const std::vector<Index>& order, const std::vector<Index>& large, const std::vector<Index>& some,
                const Index* part, Index rounds) {
        Flags stale(m_), moving(m_);  // whether the costs of a sample may have changed since it was looked at
        for (const Index i : some) moving[part[i]] = stale[i] = true;
        std::vector<Index> left = some, turns = large, before(label_, label_ + m_);
        const auto keep_moving = [&] {  // the groups whose parts move, in their order
            std::erase_if(turns, [&](Index c) { return !moving[part[groups_.member[groups_.first[c]]]]; });
        };
        keep_moving();
        for (Index round = 0; round < rounds; ++round) {
            if (move_samples(order, stale) > 0) continue;
            for (const Index i : left) before[i] = label_[i];
            const Count moves = move_groups(turns) + move_chains(left);
            if (moves == 0) return true;
            moving.assign(m_, false);
            for (const Index i : left)
                if (label_[i] != before[i]) moving[part[i]] = true;
            std::erase_if(left, [&](Index i) { return !moving[part[i]]; });
            for (const Index i : left) stale[i] = true;
            keep_moving();
        }
        return false;
    }

   private:
    static constexpr double rounding = 1e-12;  // savings of so small a part of the costs are rounding

    Grid<const double> base_, pay_;
    Links links_;
    LinkGroups groups_;
    Index* label_;
    Interrupts& watch_;
    Count m_;
    Index k_;
    std::vector<double> cost_;  // scratch: of what is looked at, in each cluster
    Flags seen_;                // [sample][cluster]: whether the chain of both was looked at
    std::vector<Index> chain_;  // scratch: the samples of the chain at hand

    // Calls `each(pair, sample at the far end)` for the links of sample i.
    template <class Each>
    void for_links(Index i, Each&& each) {
        for (Index p = links_.start[i]; p < links_.start[i + 1]; ++p) each(links_.pair[p], links_.other[p]);
        watch_.check(0, 1 + Count{links_.start[i + 1] - links_.start[i]} * k_ / 4);
    }
    bool is_must(Index e) const { return e < links_.n_must; }

    // The cost of a pair with its samples in clusters g and h.
    double price(Index e, Index g, Index h) const {
        if (is_must(e)) return g == h ? 0.0 : pay_[e][g] + pay_[e][h];
        return g == h ? pay_[e][g] : 0.0;
    }

    Index least() const {  // the cluster of least cost, the lowest of several
        Index best = 0;
        for (Index h = 1; h < k_; ++h)
            if (cost_[h] < cost_[best]) best = h;
        return best;
    }

    // Moves sample after sample to the cluster of least cost. Returns how many moved.
    Count move_samples(const std::vector<Index>& order, Flags& stale) {
        Count moves = 0;
        for (const Index i : order) {
            watch_.check(moves);
            if (!stale[i]) continue;
            stale[i] = false;
            for (Index h = 0; h < k_; ++h) cost_[h] = base_[i][h];
            for_links(i, [&](Index e, Index j) {
                const Index there = label_[j];
                if (there < 0) return;
                if (!is_must(e)) {
                    cost_[there] += pay_[e][there];
                    return;
                }
                for (Index h = 0; h < k_; ++h)
                    if (h != there) cost_[h] += pay_[e][h] + pay_[e][there];
            });
            const Index best = least(), here = label_[i];
            if (here == best) continue;
            if (here >= 0 && cost_[here] - cost_[best] <= rounding * (std::abs(cost_[here]) + std::abs(cost_[best])))
                continue;
            label_[i] = best;
            for_links(i, [&](Index, Index j) { stale[j] = true; });
            ++moves;
        }
        return moves;
    }

    Count move_group(Index c) {
        double now = 0;   // the cost of the group with its members in their present clusters
        double size = 0;  // of the costs that are added up: their rounding
        bool placed = true;
        cost_.assign(k_, 0.0);
        for (Index p = groups_.first[c]; p < groups_.first[c + 1]; ++p) {
            const Index i = groups_.member[p], here = label_[i];
            if (here < 0)
                placed = false;
            else
                now += base_[i][here], size += std::abs(base_[i][here]);
            for (Index h = 0; h < k_; ++h) cost_[h] += base_[i][h];
            for_links(i, [&](Index e, Index j) {
                const Index there = label_[j];
                if (groups_.of[j] == c) {
                    if (j > i) return;  // each pair within once
                    // together again, the group keeps its must-links, and violates its cannot-links
                    if (!is_must(e))
                        for (Index h = 0; h < k_; ++h) cost_[h] += pay_[e][h];
                    if (here >= 0 && there >= 0) now += price(e, here, there);
                } else if (there >= 0) {  // a cannot-link: must-links do not leave the group
                    cost_[there] += pay_[e][there];
                    if (here == there) now += pay_[e][there];
                }
            });
        }
        const Index best = least();
        if (placed && now - cost_[best] <= rounding * (size + std::abs(now) + std::abs(cost_[best]))) return 0;
        Count moves = 0;
        for (Index p = groups_.first[c]; p < groups_.first[c + 1]; ++p) {
            if (label_[groups_.member[p]] == best) continue;
            label_[groups_.member[p]] = best;
            ++moves;
        }
        return moves;
    }

    // For each two clusters, lets samples that pairs chain together within the two change places, if that pays. Returns
    // how many moved. All samples of a chain go over to the other cluster of the two, so no pair becomes violated that
    // was not. No label is -1. A chain saves the sum of the savings of its samples, so it is looked at only if one of
    // them saves something.
    Count move_chains(const std::vector<Index>& some) {
        seen_.assign(m_ * k_, 0);
        chain_.resize(m_);
        Count moves = 0;
        for (const Index i : some) {
            find_savings(i);
            for (Index h = 0; h < k_; ++h) {
                if (h == label_[i] || !(cost_[h] > 0) || seen_[Count{i} * k_ + h]) continue;
                const Count turned = turn_chain(i, h);
                moves += turned;
                if (turned > 0) break;  // the savings are out of date
            }
        }
        return moves;
    }

    // Puts into cost_[h] the saving if sample i goes over to cluster h with its chain, a pair within counted half.
    void find_savings(Index i) {
        const Index here = label_[i];
        for (Index h = 0; h < k_; ++h) cost_[h] = base_[i][here] - base_[i][h];
        for_links(i, [&](Index e, Index j) {
            const Index far = label_[j];
            if (!is_must(e)) {
                if (far == here)  // the other end counts the other half
                    for (Index h = 0; h < k_; ++h) cost_[h] += 0.5 * (pay_[e][here] - pay_[e][h]);
            } else if (far != here) {
                // violated before and after, at another price. With `far` in the chain, the prices change places
                for (Index h = 0; h < k_; ++h)
                    if (h != far) cost_[h] += pay_[e][here] - pay_[e][h];
            }
        });
    }

    double saving(Index i, Index there) {  // the same for one cluster
        const Index here = label_[i];
        double sum = base_[i][here] - base_[i][there];
        for_links(i, [&](Index e, Index j) {
            const Index far = label_[j];
            if (!is_must(e)) {
                if (far == here) sum += 0.5 * (pay_[e][here] - pay_[e][there]);
            } else if (far != here && far != there) {
                sum += pay_[e][here] - pay_[e][there];
            }
        });
        return sum;
    }

    // Exchanges the chain of a sample within its cluster and h between the two, if that pays. Returns how many moved.
    Count turn_chain(Index root, Index h) {
        const Index both = label_[root] + h;  // less one of the two is the other
        const auto is_of_both = [&](Index c) { return c == h || c == both - h; };
        seen_[Count{root} * k_ + h] = 1;
        chain_[0] = root;
        Index end = 1;
        double gain = 0, size = 0;
        for (Index done = 0; done < end; ++done) {
            const Index i = chain_[done];
            const double saved = saving(i, both - label_[i]);
            gain += saved;
            size += std::abs(saved) + std::abs(base_[i][label_[i]]);
            for_links(i, [&](Index, Index j) {
                if (!is_of_both(label_[j])) return;
                unsigned char& seen = seen_[Count{j} * k_ + both - label_[j]];
                if (seen) return;
                seen = 1;
                chain_[end++] = j;
            });
        }
        if (gain <= rounding * size) return 0;
        for (Index p = 0; p < end; ++p) {
            const Index j = chain_[p];
            seen_[Count{j} * k_ + label_[j]] = 1;  // back again would undo it
            label_[j] = both - label_[j];
        }
        return end;
    }
};

}  // namespace tripletree
