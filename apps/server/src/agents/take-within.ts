/** Gives the ids of the first rows whose texts have no more characters together, and of one at least. */
export function takeWithin(
  rows: readonly { readonly id: string; readonly characters: unknown }[],
  characters: number,
): string[] {
  let left = characters
  const end = rows.findIndex((row, index) => {
    left -= Number(row.characters)
    return left < 0 && index > 0
  })
  return (end < 0 ? rows : rows.slice(0, end)).map(({ id }) => id)
}
