// clipboard.writeText is refused to pages opened from a file in some browsers; selecting and copying works there.
document.addEventListener("click", async (event) => {
  const button = event.target.closest(".command button");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  let copied = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? "Copied" : "Select it";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});
