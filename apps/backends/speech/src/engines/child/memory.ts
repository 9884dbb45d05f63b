import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 4096

/** Resident memory of a process in bytes; undefined where the system does not tell it (it is read on Linux only). */
export async function readMemory(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const [, pages = ''] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
    const bytes = Number(pages) * PAGE_BYTES
    return Number.isFinite(bytes) ? bytes : undefined
  } catch {
    return undefined
  }
}
