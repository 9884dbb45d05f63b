const forgetters = new Set<() => void>()

/** Calls back when the viewer signs out, to forget what was theirs. */
export function onSignOut(forget: () => void): void {
  forgetters.add(forget)
}

/** Forgets what was the viewer's in this tab. */
export function forgetViewer(): void {
  for (const forget of forgetters) forget()
}
