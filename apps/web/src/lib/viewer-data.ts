const forgetters = new Set<() => void>()

/** Calls back when the viewer signs out, to forget the viewer's data. */
export function onSignOut(forget: () => void): void {
  forgetters.add(forget)
}

/** Forgets the viewer's data in this tab. */
export function forgetViewer(): void {
  for (const forget of forgetters) forget()
}
