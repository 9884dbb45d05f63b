import { realpathSync } from 'node:fs'
import { sep } from 'node:path'
import { type FoundFile, isSettled } from '../../catalog/found-file.ts'
import { type ModelFolder, readSmallFile } from '../../catalog/model-folder.ts'
import { toReason } from '../../files/file-error.ts'
import { isSafeName } from '../../files/safe-path.ts'

/** Largest template file in bytes. */
export const MAX_TEMPLATE_BYTES = 1024 * 1024

/** Text of a template, or the reason why it cannot be read. */
export type TemplateText = { readonly text: string } | { readonly fault: string }

/** A file that may hold a template. */
export interface TemplateFile {
  /** Reads the current text: looks at the file, and reads it only after a change. Undefined when there is none. */
  read(): TemplateText | undefined
}

/** Opens the template file of a name relative to the models folder. An unsafe name gives no file. */
export function openTemplateFile(
  folder: ModelFolder,
  name: string,
  { now }: { readonly now: () => number },
): TemplateFile {
  if (!isSafeName(name)) return { read: () => undefined }
  let known: { readonly signature: string; readonly isSettled: boolean; readonly content: TemplateText } | undefined
  return {
    read() {
      const found = folder.find(name)
      if (found === undefined) return undefined
      if (!found.found) return { fault: found.fault }
      // a file that may have changed without a change of its times is read every time
      if (known?.isSettled === true && known.signature === found.signature) return known.content
      const facts = { signature: found.signature, isSettled: isSettled(found, now()) }
      known = { ...facts, content: readTemplate(folder, found) }
      return known.content
    },
  }
}

function readTemplate(folder: ModelFolder, file: FoundFile): TemplateText {
  try {
    // The name may lead through folders, and each may be a link.
    if (!isInside(folder.path, file.path)) return { fault: 'lies outside the models folder' }
    const content = readSmallFile(file, MAX_TEMPLATE_BYTES)
    if (content === undefined) return { fault: `is larger than ${MAX_TEMPLATE_BYTES} bytes` }
    return { text: content.toString('utf8') }
  } catch (error) {
    return { fault: `cannot be read: ${toReason(error)}` }
  }
}

function isInside(folder: string, path: string): boolean {
  const root = realpathSync(folder)
  return realpathSync(path).startsWith(root.endsWith(sep) ? root : root + sep)
}
