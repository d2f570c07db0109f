// The module `tripletree._core.engine`. What is in it stands in the files bind_*.cpp.
#include "parts.hpp"

NB_MODULE(engine, m) {
    tripletree::define_build(m);
    tripletree::define_conflict(m);
    tripletree::define_cut(m);
    tripletree::define_flat(m);
    tripletree::define_rooted_tree(m);
    tripletree::define_aho_tree(m);
    tripletree::define_answer_walk(m);
    tripletree::define_compare(m);
    tripletree::define_infer(m);
    tripletree::define_ontology(m);
    tripletree::define_division(m);
    tripletree::define_posterior(m);
    tripletree::define_recon(m);
    tripletree::define_lloyd(m);
    tripletree::define_cvqe(m);
    tripletree::define_soft_pairs(m);
    tripletree::define_boosted(m);
    tripletree::define_signs(m);
    tripletree::define_purity(m);
    tripletree::define_feasibility(m);
    tripletree::define_sized_clusters(m);
    tripletree::define_complete_link(m);
    tripletree::define_must_link_groups(m);
    tripletree::define_sorting(m);
    tripletree::define_supertree(m);
    tripletree::define_penalty(m);
    tripletree::define_repair(m);
}
