import type { ZipArchive } from './open-zip.ts'
import { walkXml } from './walk-xml.ts'

/** A part to which another one points. */
export interface Relation {
  readonly id: string
  /** The last word of its type: `worksheet`, `officeDocument`. */
  readonly type: string
  /** Path in the archive. */
  readonly path: string
}

/** Reads to which parts of an Office Open XML document a part points. A part without a list points to none. */
export async function readRelations(zip: ZipArchive, part: string, signal: AbortSignal): Promise<readonly Relation[]> {
  const slash = part.lastIndexOf('/') + 1
  const folder = part.slice(0, slash)
  const list = `${folder}_rels/${part.slice(slash)}.rels`
  if (!zip.has(list)) return []
  const found: Relation[] = []
  const visitor = {
    open(name: string, attributes: ReadonlyMap<string, string>) {
      if (name !== 'Relationship' || attributes.get('TargetMode') === 'External') return
      const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map((key) => attributes.get(key) ?? '')
      found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), path: resolvePath(folder, target) })
    },
  }
  const attributes = ['Id', 'Type', 'Target', 'TargetMode']
  await walkXml([zip.readWhole(list)], visitor, { attributes, signal })
  return found
}

/** Finds the main part, by the list of the whole archive. */
export async function findMainPart(zip: ZipArchive, usual: string, signal: AbortSignal): Promise<string> {
  const relations = await readRelations(zip, '', signal)
  return relations.find(({ type, path }) => type === 'officeDocument' && zip.has(path))?.path ?? usual
}

/** Resolves a path of a part against a folder, which is empty or ends with a slash. */
export function resolvePath(folder: string, target: string): string {
  const steps = target.startsWith('/') ? [] : folder.split('/').slice(0, -1)
  for (const step of target.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return steps.join('/')
}
