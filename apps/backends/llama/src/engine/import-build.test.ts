import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ImportBuildParts, importBuild } from './import-build.ts'

const ENGINE = fileURLToPath(new URL('../../node_modules/node-llama-cpp', import.meta.url))
const CUDA = '@node-llama-cpp/linux-x64-cuda'

describe('in a checkout', () => {
  it('finds the builds that the engine finds', async () => {
    const engine = await realpath(ENGINE)
    const { version } = JSON.parse(await readFile(join(engine, 'package.json'), 'utf8')) as { version: string }
    const [installed = ''] = await readdir(join(dirname(engine), '@node-llama-cpp'))
    const build = await importBuild(`@node-llama-cpp/${installed}`, version)
    expect(build.getBinsDir?.().packageVersion).toBe(version)
  })

  it('refuses a build that is not installed', async () => {
    await expect(importBuild('@node-llama-cpp/none', '1.0.0')).rejects.toThrow('@node-llama-cpp/none')
  })
})

/** An installation with packages, by name and version. */
function install(packages: Readonly<Record<string, string>>): ImportBuildParts & { readonly lines: string[] } {
  const lines: string[] = []
  const line = (message: string): void => void lines.push(message)
  return {
    lines,
    log: { warn: line, error: line },
    load: async (specifier) => {
      const packageVersion = packages[specifier]
      if (packageVersion === undefined) throw Object.assign(new Error(specifier), { code: 'ERR_MODULE_NOT_FOUND' })
      if (packageVersion === 'broken') throw new Error('no such library')
      return { getBinsDir: () => ({ binsDir: specifier, packageVersion }) }
    },
  }
}

describe('in an installation', () => {
  it.each([
    ['linux-arm64', '@svc/llama-linux-arm64'],
    ['linux-armv7l', '@svc/llama-linux-armv7l'],
    ['linux-arm64', '@node-llama-cpp/linux-arm64'],
    ['linux-x64', '@node-llama-cpp/linux-x64'],
  ])('takes the build for %s from %s', async (build, place) => {
    const parts = install({ [place]: '3.0.0' })
    const found = await importBuild(`@node-llama-cpp/${build}`, '3.0.0', parts)
    expect(found.getBinsDir?.()).toMatchObject({ binsDir: place })
    expect(parts.lines).toEqual([])
  })

  it('names the command for a build of another version, which the engine passes over', async () => {
    const parts = install({ [CUDA]: '2.0.0' })
    await importBuild(CUDA, '3.0.0', parts)
    expect(parts.lines).toEqual([`${CUDA} 2.0.0 is not used: the engine needs 3.0.0 (npm install -g ${CUDA}@3.0.0)`])
  })

  it('says nothing of a build that is not installed', async () => {
    const parts = install({})
    await expect(importBuild(CUDA, '3.0.0', parts)).rejects.toThrow()
    expect(parts.lines).toEqual([])
  })

  it('gives the error of a build that is broken', async () => {
    await expect(importBuild(CUDA, '3.0.0', install({ [CUDA]: 'broken' }))).rejects.toThrow('no such library')
  })
})
