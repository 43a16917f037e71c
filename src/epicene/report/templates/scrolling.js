// Boxes of tables and figures show that they scroll, and take the focus, only if they do.

{
  const watch = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const scrolls = target.scrollWidth > target.clientWidth;
      target.classList.toggle("scrolls", scrolls);
      target.tabIndex = scrolls ? 0 : -1;
    }
  });
  for (const box of document.querySelectorAll(".scroll")) watch.observe(box);
}
