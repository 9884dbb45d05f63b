/** Adds parts to the document of the tests that overlays need and it lacks: `CSS.escape`, and scrolling. */
export function completeTestDocument(): void {
  Object.assign(globalThis, {
    CSS: globalThis.CSS ?? { escape: (text: string) => text.replace(/[^\w-]/g, String.raw`\$&`) },
  })
  Element.prototype.scrollIntoView ??= () => undefined
}
