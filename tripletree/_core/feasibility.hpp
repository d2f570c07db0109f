// Nodes that must not share a cluster with their neighbours: cliques, colourings, and the cheapest assignment.
//
// Deciding if k clusters are enough is graph colouring, and finding the cheapest assignment is at least as hard, so
// both end after a given amount of work. In the order of this file:
//
// - easy cases: nodes with few neighbours wait until the others have their clusters (`peel`), trees are solved from
//   their leaves on (`fold`, `unfold`), nodes choose in turn (`greedy`), and a clique says that clusters are too few
//   (`large_clique`).
// - tabu search (`Mending`) finds colourings that backtracking misses, but proves nothing.
// - exchanges of two clusters (`Exchanges`, Kempe chains) make a feasible assignment cheaper.
// - branch and bound (`AssignmentSearch`) finds the cheapest assignment, or proves that there is none. The node with
// the
//   fewest clusters left comes next (DSATUR). Among several such nodes it is the one that loses most without its best
//   cluster. Its clusters are tried from the cheapest on. The bound: each open node has its best cluster, and for every
//   edge whose ends both want the same one, the cheapest way out for one of them is added.
// - `improve` puts the last two together.
//
// What works on nodes lo..hi-1 works on a connected part that has only its own edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "basics.hpp"
#include "grid.hpp"

namespace tripletree::feasibility {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-12;  // sums that differ by less than this part of them count as equal
using Costs = Grid<const double>;   // of each node in each cluster

// Nodes 0..m-1 and which of them must not be alike.
struct Graph {
    const Index* start;  // the neighbours of v are near[start[v]]..near[start[v + 1] - 1]
    const Index* near;
    Index m;

    struct Neighbours {
        const Index *first, *last;
        const Index* begin() const { return first; }
        const Index* end() const { return last; }
    };
    Neighbours of(Index v) const { return {near + start[v], near + start[v + 1]}; }
    Index degree(Index v) const { return start[v + 1] - start[v]; }
};

struct Problem {
    Graph graph;
    Costs cost;
    const double* priority;  // of nodes alike in all else, the greater comes first

    Index k() const { return static_cast<Index>(cost.n_columns); }
};

// ---------------------------------------------------------------------- easy cases

struct Peeled {
    std::vector<Index> order;   // nodes in the order in which they were taken away
    std::vector<Index> parent;  // of each, the lowest neighbour that was left, -1 for none
};

// Nodes with fewer than `least` neighbours, taken away again and again.
inline Peeled peel(const Graph& graph, Index least) {
    std::vector<Index> degree(graph.m), order, parent;
    Flags gone(graph.m), taken(graph.m);  // in the order; its turn has come
    const auto take = [&](Index v) {
        order.push_back(v);
        parent.push_back(none);
        gone[v] = true;
    };
    for (Index v = 0; v < graph.m; ++v) {
        degree[v] = graph.degree(v);
        if (degree[v] < least) take(v);
    }
    for (std::size_t done = 0; done < order.size(); ++done) {
        const Index v = order[done];
        taken[v] = true;
        for (const Index w : graph.of(v)) {
            if (taken[w]) continue;
            if (parent[done] < 0 || w < parent[done]) parent[done] = w;
            --degree[w];
            if (degree[w] < least && !gone[w]) take(w);
        }
    }
    return {std::move(order), std::move(parent)};
}

struct Folded {
    std::vector<double> cost;          // m x k
    std::vector<Index> first, second;  // the two cheapest clusters of the nodes in the order
};

// Costs in which each node of the order, from `peel` with least 2, is paid for by its parent.
inline Folded fold(Costs cost, const Index* order, const Index* parent, Index count) {
    const auto k = static_cast<Index>(cost.n_columns);
    Folded folded{{cost.data, cost.data + cost.n_rows * k}, {}, {}};
    const Grid<double> out{folded.cost.data(), cost.n_rows, k};
    for (Index i = 0; i < count; ++i) {
        const double* own = out[order[i]];
        Index first = none, second = none;
        for (Index c = 0; c < k; ++c) {
            if (first < 0 || own[c] < own[first])
                second = first, first = c;
            else if (second < 0 || own[c] < own[second])
                second = c;
        }
        folded.first.push_back(first);
        folded.second.push_back(second);
        if (parent[i] < 0) continue;
        const double least = own[first], other = own[std::max<Index>(second, 0)];  // of one cluster there is no second
        for (Index c = 0; c < k; ++c) out[parent[i]][c] += c == first ? other : least;
    }
    return folded;
}

struct Chosen {
    std::vector<Index> label;
    Index failed;  // the first node without any cluster left, -1 for none. It and nodes like it are passed over
};

// Labels the nodes of the order, each with its cheapest cluster that no neighbour has. Nodes with a label keep it.
inline Chosen greedy(const Graph& graph, Costs cost, const Index* order, Index count, const Index* label,
                     Interrupts& watch) {
    const auto k = static_cast<Index>(cost.n_columns);
    Chosen out{{label, label + graph.m}, none};
    std::vector<Index> barred(k, none);  // for which node a cluster was last barred
    for (Index i = 0; i < count; ++i) {
        const Index v = order[i];
        for (const Index w : graph.of(v))
            if (out.label[w] >= 0) barred[out.label[w]] = v;
        const double* own = cost[v];
        Index best = none;
        for (Index c = 0; c < k; ++c)
            if (barred[c] != v && (best < 0 || own[c] < own[best])) best = c;
        if (best >= 0)
            out.label[v] = best;
        else if (out.failed < 0)
            out.failed = v;
        watch.check(i, k + graph.degree(v));
    }
    return out;
}

// Nodes that are all neighbours of each other, up to `size` of them: the most that were found by going from each node
// on to those with the most neighbours. No node is begun with after `work` neighbours were looked at.
inline std::vector<Index> large_clique(const Graph& graph, Index size, Count work, Interrupts& watch) {
    std::vector<Index> most, clique;
    std::vector<Index> known(graph.m);  // how many of the clique are neighbours
    Count looks = 0;
    for (Index seed = 0; seed < graph.m && looks <= work; ++seed) {
        clique.clear();
        Index v = seed;
        while (v >= 0) {
            clique.push_back(v);
            const auto count = static_cast<Index>(clique.size());
            if (count == size) break;
            for (const Index w : graph.of(v)) ++known[w];
            looks += graph.degree(v) + graph.degree(seed);
            watch.check(seed, 1 + graph.degree(v) + graph.degree(seed));
            v = none;
            for (const Index w : graph.of(seed))
                if (known[w] == count && (v < 0 || graph.degree(w) > graph.degree(v))) v = w;
        }
        if (clique.size() > most.size()) {
            most = clique;
            if (static_cast<Index>(clique.size()) == size) break;
        }
        for (const Index u : clique)
            for (const Index w : graph.of(u)) known[w] = 0;
    }
    return most;
}

// ---------------------------------------------------------------------- tabu search

// Here neighbours may share a cluster. One node moves at a time until no two neighbours share one. The clashes of the
// labels are kept up while nodes move.
class Mending {
   public:
    Mending(Graph graph, std::vector<Index> label, Index k, Count seed)
        : graph_(graph),
          k_(k),
          label_(std::move(label)),
          beside_(Count{graph.m} * k),
          until_(Count{graph.m} * k),
          place_(graph.m, none),
          random_(seed) {
        for (Index v = 0; v < graph.m; ++v)
            for (const Index w : graph.of(v)) ++beside(v, label_[w]);
        for (Index v = 0; v < graph.m; ++v) {
            n_edges_ += beside(v, label_[v]);
            enter_or_leave(v);
        }
        n_edges_ /= 2;  // each was seen from both ends
    }

    // Moves node after node to the cluster of fewest clashes until none has fewer elsewhere. Returns the clashing edges
    // left. From labels at random, where nearly all nodes clash, `mend` would look at all of these for each move.
    Count descend(Interrupts& watch) {
        bool again = true;
        while (again) {
            again = false;
            for (Index v = 0; v < graph_.m; ++v) {
                Index best = label_[v];
                for (Index c = 0; c < k_; ++c)
                    if (beside(v, c) < beside(v, best)) best = c;
                watch.check(n_edges_, k_);
                if (best == label_[v]) continue;
                move(v, best, watch);
                again = true;
            }
        }
        return n_edges_;
    }

    // Moves clashing nodes, the best way each time, but not back at once, for `limit` steps. Returns the clashing edges
    // left.
    Count mend(Count limit, Interrupts& watch) {
        Count fewest = n_edges_;
        for (; limit > 0 && n_edges_ > 0; --limit) {
            ++step_;
            const auto [node, cluster] = best_move(fewest);
            watch.check(n_edges_, static_cast<Count>(crowd_.size()) + k_);
            if (node < 0) continue;  // all are waiting
            // a node may not go back for so many steps, drawn at random, and for a part of the number of nodes that
            // clash
            const auto tenure = static_cast<Count>(draw() * 10);
            until(node, label_[node]) =
                step_ + tenure + static_cast<Count>(0.6 * static_cast<double>(crowd_.size())) + 1;
            move(node, cluster, watch);
            fewest = std::min(fewest, n_edges_);
        }
        return n_edges_;
    }

    struct Member {  // of the crowd
        Index node;
        Index change;  // how the clashes change by its best moves
        Count wait;    // none of these moves is allowed before that step
    };
    const std::vector<Index>& label() const { return label_; }
    const std::vector<Index>& besides() const { return beside_; }
    const std::vector<Member>& crowd() const { return crowd_; }

   private:
    Graph graph_;
    Index k_;
    std::vector<Index> label_;
    std::vector<Index> beside_;  // [node][cluster]: how many neighbours of it are there
    std::vector<Count> until_;   // [node][cluster]: it may not go there before that step
    std::vector<Member> crowd_;  // the nodes that clash
    std::vector<Index> place_;   // of each node in the crowd, -1 for none
    Count n_edges_ = 0;          // clashing edges
    Count step_ = 0;             // steps done
    Count random_;               // the state of the random numbers. The core shares no generator with numpy

    Index& beside(Index v, Index c) { return beside_[Count{v} * k_ + c]; }
    Count& until(Index v, Index c) { return until_[Count{v} * k_ + c]; }

    double draw() {  // a number in [0, 1)
        random_ = (random_ * 1103515245 + 12345) % 2147483648;
        return static_cast<double>(random_) / 2147483648.0;
    }

    // Puts v into the crowd if it clashes, with its best moves, else takes it out.
    void enter_or_leave(Index v) {
        const Index own = label_[v], place = place_[v];
        if (beside(v, own) > 0) {
            Index best = own == 0 ? 1 : 0;
            for (Index c = best + 1; c < k_; ++c) {
                const Index more = beside(v, c) - beside(v, best);
                if (c != own && (more < 0 || (more == 0 && until(v, c) < until(v, best)))) best = c;
            }
            const Member member{v, beside(v, best) - beside(v, own), until(v, best)};
            if (place >= 0) {
                crowd_[place] = member;
            } else {
                place_[v] = static_cast<Index>(crowd_.size());
                crowd_.push_back(member);
            }
        } else if (place >= 0) {
            place_[crowd_.back().node] = place;
            crowd_[place] = crowd_.back();
            crowd_.pop_back();
            place_[v] = none;
        }
    }

    void move(Index node, Index cluster, Interrupts& watch) {
        const Index old = label_[node];
        n_edges_ += beside(node, cluster) - beside(node, old);
        label_[node] = cluster;
        for (const Index w : graph_.of(node)) {
            --beside(w, old);
            ++beside(w, cluster);
            enter_or_leave(w);
        }
        enter_or_leave(node);
        watch.check(n_edges_, graph_.degree(node));
    }

    // The node and where to, -1 for none.
    std::pair<Index, Index> best_move(Count fewest) {
        Index best = 0, ties = 0, node = none, cluster = none;
        for (const Member& member : crowd_) {
            if (node >= 0 && member.change > best) continue;
            if (node >= 0 && member.change == best && member.wait > step_ && n_edges_ + best >= fewest) continue;
            const Index v = member.node, own = label_[v], now = beside(v, own);
            for (Index c = 0; c < k_; ++c) {
                const Index change = beside(v, c) - now;
                if (c == own || (node >= 0 && change > best)) continue;
                // going back is forbidden for a while, unless it leads to fewer clashes than ever before
                if (until(v, c) > step_ && n_edges_ + change >= fewest) continue;
                if (node < 0 || change < best) best = change, ties = 0, node = none;
                ++ties;
                // the last of t ties replaces the others with chance 1 / t: all are equally likely in the end
                if (node < 0 || draw() * ties < 1.0) node = v, cluster = c;
            }
        }
        return {node, cluster};
    }
};

// ---------------------------------------------------------------------- exchanges

// Two clusters change places on a connected part that has only these (a Kempe chain). Neighbours that differ go on
// differing, so the assignment stays feasible.
class Exchanges {
   public:
    explicit Exchanges(const Problem& problem)
        : problem_(problem),
          next_(problem.graph.m),
          first_(problem.k()),
          changed_(problem.k()),
          seen_(problem.graph.m) {}

    // Exchanges two clusters on connected parts that have only these, where that is cheaper, until it nowhere is.
    // Returns how many costs and neighbours were looked at. It ends after `work` of them.
    Count run(Index lo, Index hi, Index* label, Count work, Interrupts& watch) {
        const Index k = problem_.k();
        std::fill(first_.begin(), first_.end(), none);
        std::fill(changed_.begin(), changed_.end(), 0);
        for (Index v = hi - 1; v >= lo; --v) {
            seen_[v] = none;
            next_[v] = first_[label[v]];
            first_[label[v]] = v;
        }
        clock_ = 0;
        Count looks = hi - lo + k;
        for (Index now = 1; now < rounds; ++now) {
            used_.clear();
            for (Index c = 0; c < k; ++c)
                if (first_[c] >= 0) used_.push_back(c);
            bool again = false;
            for (const Index a : used_) {
                for (Index b = 0; b < k; ++b) {
                    if (++looks > work) return looks;
                    if (b == a || (b < a && first_[b] >= 0)) continue;  // the pair has had its turn, as (b, a)
                    if (std::max(changed_[a], changed_[b]) < now - 1)
                        continue;  // nothing is new since it was last tried
                    ++clock_;
                    const Count before = looks;
                    if (exchange_clusters(a, b, label, looks)) again = true, changed_[a] = changed_[b] = now;
                    watch.check(looks, looks - before);
                }
            }
            if (!again) break;
        }
        return looks;
    }

   private:
    static constexpr Index rounds = 100;  // over all pairs of clusters, at most

    Problem problem_;
    std::vector<Index> next_;     // the next member of the same cluster, -1 for none
    std::vector<Index> first_;    // of each cluster: the first member, -1 for none
    std::vector<Index> changed_;  // of each cluster: the round in which it last changed
    std::vector<Index> used_;     // the clusters that have members, in this round
    std::vector<Index> seen_;     // when each node was last visited, by the clock
    Index clock_ = 0;
    std::vector<Index> queue_, members_;  // scratch

    // Tries the connected parts that have only clusters a and b. Returns whether any changed.
    bool exchange_clusters(Index a, Index b, Index* label, Count& looks) {
        members_.clear();
        for (const Index c : {a, b})
            for (Index v = first_[c]; v >= 0; v = next_[v]) members_.push_back(v);
        bool ever = false;
        for (const Index v : members_) {  // a part that gets cheaper has a node that does
            const double* own = problem_.cost[v];
            if (seen_[v] != clock_ && own[a + b - label[v]] < own[label[v]])
                ever |= exchange_part(v, a, b, label, looks);
        }
        if (ever) {
            first_[a] = first_[b] = none;
            for (auto v = members_.rbegin(); v != members_.rend(); ++v) {
                next_[*v] = first_[label[*v]];
                first_[label[*v]] = *v;
            }
        }
        looks += static_cast<Count>(members_.size());
        return ever;
    }

    // Exchanges a and b on the part of a node if that is cheaper by more than rounding. Returns whether it did.
    bool exchange_part(Index seed, Index a, Index b, Index* label, Count& looks) {
        queue_.assign(1, seed);
        seen_[seed] = clock_;
        double change = 0, size = 0;
        for (std::size_t done = 0; done < queue_.size(); ++done) {
            const Index v = queue_[done];
            const double now = problem_.cost[v][label[v]], then = problem_.cost[v][a + b - label[v]];
            change += then - now;
            size += std::abs(then) + std::abs(now);
            looks += problem_.graph.degree(v);
            for (const Index w : problem_.graph.of(v)) {
                if (seen_[w] == clock_ || (label[w] != a && label[w] != b)) continue;
                seen_[w] = clock_;
                queue_.push_back(w);
            }
        }
        if (change >= -rounding * size) return false;
        for (const Index v : queue_) label[v] = a + b - label[v];
        return true;
    }
};

// ---------------------------------------------------------------------- branch and bound

// The nodes that were chosen, `depth` of them, are closed, the others are open.
class AssignmentSearch {
   public:
    // n_taken: m x k, how many neighbours outside the problem each node has in each cluster.
    AssignmentSearch(const Problem& problem, std::vector<Index> n_taken)
        : problem_(problem), nodes_(problem.graph.m), n_taken_(std::move(n_taken)), best_(problem.graph.m, none) {
        for (Index v = 0; v < problem.graph.m; ++v) look(v);
    }

    // Begins with another connected part, where this cost must be undercut. Parts share no node, so these are as new.
    void begin_part(Index lo, Index hi, double best_cost) {
        lo_ = lo;
        hi_ = hi;
        chosen_.clear();
        forced_.clear();
        steps_ = 0;
        descends_ = true;
        best_cost_ = best_cost;
    }

    double best_cost() const { return best_cost_; }           // the cost that must be undercut
    const std::vector<Index>& best() const { return best_; }  // the best assignment, -1 as long as there is none
    std::vector<Index> best_of_part() const { return {best_.begin() + lo_, best_.begin() + hi_}; }
    Count steps() const { return steps_; }  // nodes chosen so far

    // Continues a search for an assignment cheaper than `best_cost`, for `limit` more nodes. Returns whether it is
    // over: the best one so far is the cheapest (or, if there is none, none is cheaper than the cost that it began
    // with). symmetric: clusters are alike, so that new ones are opened in their order.
    bool search(Count limit, bool symmetric, Interrupts& watch) {
        const Index k = problem_.k();
        Count steps = 0;
        while (true) {
            double enough = best_cost_;  // an assignment of this cost is no improvement
            if (enough < infinity) enough -= rounding * std::abs(enough);
            if (descends_) {
                if (steps == limit) return false;
                ++steps;
                ++steps_;
                watch.check(steps_, hi_ - lo_ + k);
                descends_ = false;
                const Index u = choose(enough, symmetric);
                if (u < 0) continue;
                nodes_[u].is_closed = true;
                chosen_.push_back({u, 0, 0});
                continue;
            }
            if (chosen_.empty()) return true;
            Choice& choice = chosen_.back();
            const Index u = choice.node, last = nodes_[u].value;
            if (last >= 0) take_back(u, last);
            const Index used = chosen_.size() > 1 ? chosen_[chosen_.size() - 2].n_used : 0;
            const Index c = next_cluster(u, symmetric ? std::min(k, used + 1) : k);
            double bound = c < 0 ? infinity : bound_at(chosen_.size() - 1) - nodes_[u].least + problem_.cost[u][c];
            if (c < 0 || bound >= enough) {  // so will the dearer ones be
                nodes_[u].value = none;
                nodes_[u].is_closed = false;
                chosen_.pop_back();
                continue;
            }
            nodes_[u].value = c;
            bound += put(u, c);
            choice.bound = bound;
            choice.n_used = std::max(used, c + 1);
            descends_ = bound != infinity;
        }
    }

    // Gives each node, in the order of the search, its cheapest cluster left. Returns the cost, infinite without any.
    // Takes time O(e + s (s + k^2)) for s nodes and e edges. The state is then the one before a search.
    double dive(Index lo, Index hi, Index* label, Interrupts& watch) {
        const Index k = problem_.k();
        double total = 0;
        begin_part(lo, hi, infinity);
        std::fill(label + lo, label + hi, none);
        while (true) {
            Index u = next_forced();
            if (u < 0) u = next_node();
            if (u < 0) break;
            const Index c = next_cluster(u, k);
            label[u] = c;
            nodes_[u].is_closed = true;
            total += problem_.cost[u][c];
            watch.check(u, hi - lo + k);
            if (put(u, c) == infinity) {
                total = infinity;
                break;
            }
        }
        for (Index v = lo; v < hi; ++v) {
            nodes_[v].is_closed = false;
            std::fill_n(&n_taken_[Count{v} * k], k, 0);
            look(v);
        }
        forced_.clear();
        return total;
    }

   private:
    struct Node {
        Index value = none;  // the cluster that a closed node has now, -1 for none yet
        bool is_closed = false;
        Index n_free = 0;              // clusters left to an open node
        double least = 0, second = 0;  // the costs of the two cheapest of these, infinite for none
    };
    struct Choice {  // a closed node
        Index node;
        double bound;  // a lower bound for the cost of the closed nodes up to this one and of all open ones
        Index n_used;  // how many clusters the closed nodes up to this one have opened
    };

    Problem problem_;
    std::vector<Node> nodes_;
    std::vector<Index> n_taken_;  // [node][cluster]: how many closed neighbours it has there
    Index lo_ = 0, hi_ = 0;       // the part
    std::vector<Choice> chosen_;  // the closed nodes in their order
    std::vector<Index> forced_;   // nodes that were seen to have one cluster left
    std::vector<Index> best_;
    double best_cost_ = infinity;
    bool descends_ = true;  // whether to choose the next node, or to go on with the last one
    Count steps_ = 0;
    std::vector<Index> wanted_;  // scratch
    std::vector<double> loss_;

    Index& n_taken(Index v, Index c) { return n_taken_[Count{v} * problem_.k() + c]; }

    // The node to close next, -1 if there is nothing to be found from here on. A complete assignment is noted.
    Index choose(double enough, bool symmetric) {
        double bound = bound_at(chosen_.size());
        if (bound >= enough) return none;
        if (static_cast<Index>(chosen_.size()) == hi_ - lo_) {
            best_cost_ = bound;
            for (Index v = lo_; v < hi_; ++v) best_[v] = nodes_[v].value;
            return none;
        }
        const Index u = next_forced();
        if (u >= 0) return u;
        // clashes cost nothing where clusters are alike, and nothing is too dear for a first assignment
        if (!symmetric && enough < infinity) bound += cost_of_clashes();
        return bound >= enough || bound == infinity ? none : next_node();
    }

    // Notes how many clusters are left to v, and the costs of the two cheapest.
    void look(Index v) {
        const double* cost = problem_.cost[v];
        Index count = 0;
        double least = infinity, second = infinity;
        for (Index c = 0; c < problem_.k(); ++c) {
            if (n_taken(v, c) != 0) continue;
            ++count;
            if (cost[c] < least)
                second = least, least = cost[c];
            else if (cost[c] < second)
                second = cost[c];
        }
        nodes_[v].n_free = count;
        nodes_[v].least = least;
        nodes_[v].second = second;
    }

    // Gives u cluster c. Returns the rise of the open neighbours' bound, infinite if one has no cluster left.
    double put(Index u, Index c) {
        double rise = 0;
        for (const Index v : problem_.graph.of(u)) {
            if (nodes_[v].is_closed || ++n_taken(v, c) != 1) continue;
            const double before = nodes_[v].least;
            look(v);
            if (nodes_[v].n_free == 0) {
                rise = infinity;
            } else {
                rise += nodes_[v].least - before;
                // a full list loses nothing but the hint: `next_node` finds such nodes, too
                if (nodes_[v].n_free == 1 && static_cast<Index>(forced_.size()) < problem_.graph.m)
                    forced_.push_back(v);
            }
        }
        return rise;
    }

    // Undoes `put`. The same neighbours are open as then: nodes are opened again in reverse order.
    void take_back(Index u, Index c) {
        for (const Index v : problem_.graph.of(u))
            if (!nodes_[v].is_closed && --n_taken(v, c) == 0) look(v);
    }

    // An open node with one cluster left, among those that were seen to become so. Returns -1 for none.
    Index next_forced() {
        while (!forced_.empty()) {
            const Index v = forced_.back();
            forced_.pop_back();
            if (!nodes_[v].is_closed && nodes_[v].n_free == 1) return v;  // else out of date
        }
        return none;
    }

    // The open node with the fewest clusters left, then the greatest loss, then the greatest priority. -1 for none.
    Index next_node() const {
        Index best = none;
        for (Index v = lo_; v < hi_; ++v) {
            const Node& one = nodes_[v];
            if (one.is_closed) continue;
            if (best >= 0) {
                const Node& other = nodes_[best];
                if (one.n_free > other.n_free) continue;
                if (one.n_free == other.n_free) {
                    const double mine = one.second - one.least, its = other.second - other.least;
                    if (mine < its || (mine == its && problem_.priority[v] <= problem_.priority[best])) continue;
                }
            }
            best = v;
        }
        return best;
    }

    // The least loss because neighbours want the same cluster. No node's loss is counted twice.
    double cost_of_clashes() {
        wanted_.resize(nodes_.size());
        loss_.resize(nodes_.size());
        for (Index v = lo_; v < hi_; ++v) {
            loss_[v] = 0;
            wanted_[v] = none;
            if (nodes_[v].is_closed) continue;
            loss_[v] = nodes_[v].second - nodes_[v].least;  // the price of not getting the cheapest cluster
            for (Index c = 0; c < problem_.k() && wanted_[v] < 0; ++c)
                if (n_taken(v, c) == 0 && problem_.cost[v][c] == nodes_[v].least) wanted_[v] = c;
        }
        double total = 0;
        for (Index v = lo_; v < hi_; ++v) {
            for (const Index w : problem_.graph.of(v)) {
                if (wanted_[v] < 0 || w < v || wanted_[w] != wanted_[v]) continue;
                const double least = std::min(loss_[v], loss_[w]);
                if (least == infinity) return infinity;
                total += least;  // one of the two has to give way
                loss_[v] -= least;
                loss_[w] -= least;
            }
        }
        return total;
    }

    // The cluster of u after its present one in the order of (cost, number), below `most`. Returns -1 for none.
    Index next_cluster(Index u, Index most) {
        const double* cost = problem_.cost[u];
        const Index last = nodes_[u].value;
        Index best = none;
        for (Index c = 0; c < most; ++c) {
            if (n_taken(u, c) > 0 || c == last) continue;
            if (last >= 0 && (cost[c] < cost[last] || (cost[c] == cost[last] && c < last))) continue;
            if (best < 0 || cost[c] < cost[best]) best = c;
        }
        return best;
    }

    // The cost of the first `depth` chosen nodes plus the least of the others. At depth 0 no node has a cluster.
    double bound_at(std::size_t depth) const {
        if (depth > 0) return chosen_[depth - 1].bound;
        double total = 0;
        for (Index v = lo_; v < hi_; ++v) total += nodes_[v].least;
        return total;
    }
};

// ---------------------------------------------------------------------- all together

// The cost of a part, infinite if a node has no cluster.
inline double cost_of(Costs cost, Index lo, Index hi, const Index* label) {
    double total = 0;
    for (Index v = lo; v < hi; ++v) {
        if (label[v] < 0) return infinity;
        total += cost[v][label[v]];
    }
    return total;
}

// Makes a feasible assignment cheaper, connected part by connected part. Returns for how many parts none is cheaper.
// blocks: the first node of each of `count` parts, and m.
// label: changed in place. other: another assignment, if it is cheaper, -1 in parts if there is none.
// exchanging, searching: costs and neighbours looked at in the exchanges and in the searches of all parts, at most.
// Work that the first parts leave goes to the others. In searches each part gets 10,000 at least.
inline Index improve(const Problem& problem, const Index* blocks, Index count, Index* label, const Index* other,
                     Count exchanging, Count searching, Interrupts& watch) {
    constexpr Count least_work = 10'000;
    const Index k = problem.k();
    const Count least = std::min(searching, least_work);
    std::vector<Index> tried(label, label + problem.graph.m);
    AssignmentSearch search(problem, std::vector<Index>(Count{problem.graph.m} * k));
    Exchanges exchanges(problem);
    Index proved = 0;
    for (Index p = 0; p < count; ++p) {
        const Index lo = blocks[p], hi = blocks[p + 1];
        const Count share = exchanging / (count - p), size = hi - lo;
        double total = cost_of(problem.cost, lo, hi, label);
        const auto take_if_cheaper = [&](double cost, const Index* labels) {
            if (!(cost < total - rounding * std::abs(total))) return;
            std::copy(labels + lo, labels + hi, label + lo);
            total = cost;
        };
        take_if_cheaper(cost_of(problem.cost, lo, hi, other), other);
        if (size * (size + Count{k} * k) <= share) {  // a dive, if its time fits
            exchanging -= size * (size + Count{k} * k);
            take_if_cheaper(search.dive(lo, hi, tried.data(), watch), tried.data());
        }
        exchanging -= exchanges.run(lo, hi, label, share, watch);
        // branch and bound, to beat the best so far
        search.begin_part(lo, hi, cost_of(problem.cost, lo, hi, label));
        const Count step = size * k + problem.graph.start[hi] - problem.graph.start[lo];
        const Count limit = std::max<Count>(1, std::max(searching / (count - p), least) / step);
        const bool over = search.search(limit, false, watch);
        searching = std::max<Count>(0, searching - search.steps() * step);
        proved += over;
        if (search.best()[lo] < 0) continue;
        std::copy(search.best().begin() + lo, search.best().begin() + hi, label + lo);
        if (!over) exchanging -= exchanges.run(lo, hi, label, exchanging / (count - p), watch);
    }
    return proved;
}

}  // namespace tripletree::feasibility
