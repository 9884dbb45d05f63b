/** Gives the document of the tests what overlays need and it lacks: `CSS.escape`, and scrolling. */
export function completeTestDocument(): void {
  Object.assign(globalThis, {
    CSS: globalThis.CSS ?? { escape: (text: string) => text.replace(/[^\w-]/g, String.raw`\$&`) },
  })
  Element.prototype.scrollIntoView ??= () => undefined
}
