// Colours for the blocks of the book that are written in the language. The words are those of docs/language.md, section 1 and 2.
"use strict";
(() => {
  if (typeof hljs === "undefined") return;
  const keywords = {
    keyword:
      "rubric library use as scale default judge input reference candidate criterion checklist from transform reduce gate define readout " +
      "pointwise pairwise listwise observe require test given expect when unless if then else and or not ask level group tag sees applies " +
      "weight with to at by below rest increasing decreasing decided",
    type: "bool int score ordinal choice set tally text chat json number flag image",
    literal: "true false unknown best worst",
    built_in: "llm rule verifier human",
  };
  hljs.registerLanguage("rubric", (hljs) => ({
    name: "rubric",
    keywords,
    contains: [
      hljs.COMMENT("//", "$"),
      { className: "string", begin: '"""', end: '"""' },
      { className: "string", begin: 'r"', end: '"' },
      { className: "string", begin: '"', end: '"', contains: [{ begin: "\\\\." }, { className: "subst", begin: "\\{\\{", end: "\\}\\}" }] },
      { className: "number", begin: "[+-]?\\b[0-9]+(\\.[0-9]+)?\\b" },
    ],
  }));
  // The book's own script has been over the page before this language was known.
  for (const block of document.querySelectorAll("code.language-rubric")) {
    const again = hljs.highlightElement || hljs.highlightBlock;
    block.textContent = block.textContent;
    delete block.dataset.highlighted;
    block.classList.remove("hljs");
    again(block);
    block.classList.add("hljs");
  }
})();
