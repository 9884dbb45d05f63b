/** Gives way to other work of the thread. */
export function giveTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
