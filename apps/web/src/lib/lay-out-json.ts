/** JSON over several lines; anything else as it is. */
export function layOutJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
