/* The buttons beside clades show them in the tree. */
document.querySelectorAll("button[data-node]").forEach((button) => {
  button.addEventListener("click", () => {
    window.tripletree.goTo(Number(button.dataset.node));
    document.getElementById("tree").scrollIntoView();
  });
});
