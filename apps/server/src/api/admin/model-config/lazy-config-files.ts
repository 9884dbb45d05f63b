import { createLazy } from '../../../concurrency/lazy.ts'
import type { ConfigFiles, ConfigFilesParts } from './config-files.ts'

/** The files of a models folder. The first call loads the code. */
export function createLazyConfigFiles(parts: ConfigFilesParts): ConfigFiles {
  const { open } = createLazy(async () => (await import('./config-files.ts')).createConfigFiles(parts))
  return {
    read: async (name) => (await open()).read(name),
    patch: async (name, patch, options) => (await open()).patch(name, patch, options),
    replace: async (name, text, options) => (await open()).replace(name, text, options),
    preview: async (name, change, options) => (await open()).preview(name, change, options),
    create: async (text) => (await open()).create(text),
    copyBuiltIn: async (name, newName) => (await open()).copyBuiltIn(name, newName),
  }
}
