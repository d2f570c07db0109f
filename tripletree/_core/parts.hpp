// One function for each file that meets Python: it adds what the file offers to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace tripletree {

void define_build(nanobind::module_& m);
void define_conflict(nanobind::module_& m);
void define_cut(nanobind::module_& m);
void define_flat(nanobind::module_& m);
void define_rooted_tree(nanobind::module_& m);
void define_aho_tree(nanobind::module_& m);
void define_answer_walk(nanobind::module_& m);
void define_compare(nanobind::module_& m);
void define_infer(nanobind::module_& m);
void define_ontology(nanobind::module_& m);
void define_division(nanobind::module_& m);
void define_posterior(nanobind::module_& m);
void define_recon(nanobind::module_& m);
void define_lloyd(nanobind::module_& m);
void define_cvqe(nanobind::module_& m);
void define_soft_pairs(nanobind::module_& m);
void define_boosted(nanobind::module_& m);
void define_signs(nanobind::module_& m);
void define_purity(nanobind::module_& m);
void define_feasibility(nanobind::module_& m);
void define_sized_clusters(nanobind::module_& m);
void define_complete_link(nanobind::module_& m);
void define_must_link_groups(nanobind::module_& m);
void define_sorting(nanobind::module_& m);
void define_supertree(nanobind::module_& m);
void define_penalty(nanobind::module_& m);
void define_repair(nanobind::module_& m);

}  // namespace tripletree
