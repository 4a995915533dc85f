"use strict";
const root = document.documentElement;
const theme = document.getElementById("theme");
const dark = () =>
  root.dataset.theme === "dark" ||
  (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
const tell = () => {
  theme.setAttribute("aria-pressed", String(dark()));
};
theme.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  tell();
});
tell();
const compare = (a, b) => {
  const x = Number(a), y = Number(b);
  if (a === "" || b === "") return (a === "") - (b === "");
  return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
};
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const key = (row) => row.cells[at].dataset.value;
      const rows = [...body.rows].sort((p, q) => {
        const a = key(p), b = key(q);
        return a === "" || b === "" || !down ? compare(a, b) : compare(b, a);
      });
      body.append(...rows);
    });
  });
}
