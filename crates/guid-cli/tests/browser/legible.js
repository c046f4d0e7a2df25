// What is wrong with the texts of pictures: too small, outside, on each other, too faint.
(() => {
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  const wrong = [];
  const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((c) => linear(Number(c) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const paper = light(getComputedStyle(document.body).backgroundColor);
  let texts = 0;
  for (const svg of document.querySelectorAll("svg")) {
    const shown = [...svg.querySelectorAll("text")].filter((text) => text.getClientRects().length);
    const box = svg.getBoundingClientRect();
    const all = shown.map((text) => [text, text.getBoundingClientRect()]);
    all.forEach(([text, a], i) => {
      texts += 1;
      const style = getComputedStyle(text), says = `${svg.getAttribute("aria-label")}: ${text.textContent}`;
      if (parseFloat(style.fontSize) < 12) wrong.push(`small: ${says}`);
      if (contrast(light(style.fill), paper) < 4.5) wrong.push(`faint: ${says} ${style.fill}`);
      if (a.left < box.left - 1 || a.right > box.right + 1 || a.top < box.top - 1 || a.bottom > box.bottom + 1) {
        wrong.push(`outside: ${says}`);
      }
      for (const [other, b] of all.slice(i + 1)) {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 3) wrong.push(`on each other: ${says} and ${other.textContent}`);
      }
    });
  }
  for (const element of document.querySelectorAll("p, td, th, dt, dd, figcaption, label, summary, legend, code, pre, a")) {
    if (!element.getClientRects().length || !element.textContent.trim()) continue;
    if (contrast(light(getComputedStyle(element).color), paper) < 4.5) {
      wrong.push(`faint: ${element.tagName} ${element.textContent.slice(0, 40)}`);
    }
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) {
    wrong.push("the page is wider than the window");
  }
  return { texts, wrong: wrong.slice(0, 10) };
})()
