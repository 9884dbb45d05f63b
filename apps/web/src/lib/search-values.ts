/** A text of the address; undefined for an empty one. Numbers of the address are texts too. */
export function readSearchText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A whole number of the address within limits; undefined for anything else. */
export function readSearchNumber(
  value: unknown,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { readonly min?: number; readonly max?: number } = {},
): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max ? number : undefined
}

/** One of a few values; undefined for anything else. */
export function readSearchChoice<Choice extends string | number>(
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => String(choice) === String(value))
}
