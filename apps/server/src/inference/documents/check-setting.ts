import { unparsable } from './unparsable.ts'

/** An address, or a protocol by which media programs open files. A text such as "happy:0.8" is neither. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:[/\\]|(?:async|cache|concat|crypto|data|fd|file|pipe|subfile)[:,])/i

/**
 * Refuses a setting that a backend could open as a file outside of its folder, or as an address. Backends take voices,
 * recordings to imitate and other files as settings, under names of their own.
 *
 * @throws {SvcError} `invalid_request`
 */
export function checkSetting(name: string, value: string): void {
  const text = value.trim()
  if (!leadsOut(text) && !ADDRESS.test(text) && !text.includes('\0')) return
  const param = `params.${name}`
  throw unparsable(`${param}: must not be an address or a path that leads out of the folder of models`, param)
}

/** Whether a path is absolute or leads to a folder above. */
export function leadsOut(path: string): boolean {
  return /^[/\\~]/.test(path) || path.split(/[/\\]/).includes('..')
}
