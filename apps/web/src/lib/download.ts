/** Saves a text or bytes as a file of the browser. @param type media type, such as `application/json` */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the browser has begun to read by then
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** The current time as a part of a file's name, such as `2026-01-31-0930`. */
export function createFileStamp(now = new Date()): string {
  return now.toISOString().slice(0, 16).replace('T', '-').replace(':', '')
}

/** A file name of a title. */
export function toFileName(title: string, ending: string): string {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '')
  return `${name.slice(0, 60) || 'chat'}.${ending}`
}
