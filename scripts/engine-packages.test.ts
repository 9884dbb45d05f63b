import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describePackage, listEnginePackages, makeEnginePackages, publishNew } from './engine-packages.mjs'

describe('packages of native engines', () => {
  it.each([
    ['@svc/onnxruntime-linux-x64', { os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
    ['@svc/onnxruntime-linux-arm64', { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] }],
    ['@svc/onnxruntime-darwin-arm64', { os: ['darwin'], cpu: ['arm64'] }],
    ['@svc/onnxruntime-win32-x64', { os: ['win32'], cpu: ['x64'] }],
    ['@svc/onnxruntime-win32-arm64', { os: ['win32'], cpu: ['arm64'] }],
    ['@svc/llama-linux-arm64', { os: ['linux'], cpu: ['arm64'], libc: ['glibc'] }],
    ['@svc/llama-linux-armv7l', { os: ['linux'], cpu: ['arm'], libc: ['glibc'] }],
  ])('%s is installed only on %o', (name, machine) => {
    const { os, cpu, libc } = describePackage({ name, engine: 'an engine', version: '1.0.0' })
    expect({ os, cpu, ...(libc === undefined ? {} : { libc }) }).toEqual(machine)
  })

  it('are those that the backends name, in the version of the engine', () => {
    const versions = new Map(listEnginePackages().map(({ name, version }) => [name, version]))
    expect(versions.size).toBe(7)
    expect([...versions.values()]).not.toContain(undefined)
  })

  it('are of the version that the documents and changesets name for graphics cards', async () => {
    const [llama] = listEnginePackages()
    for (const page of ['docs/get-a-model.md', 'docs/deploy.md', '.changeset/small-installs.md']) {
      const text = await readFile(join(import.meta.dirname, '..', page), 'utf8').catch(() => '')
      for (const [, version] of text.matchAll(/@node-llama-cpp\/[a-z0-9-]+@([\w.-]+)/g)) {
        expect(version, page).toBe(llama?.version)
      }
    }
    const guide = await readFile(join(import.meta.dirname, '../docs/get-a-model.md'), 'utf8')
    expect(guide).toContain(`npm install -g @node-llama-cpp/linux-x64-cuda@${llama?.version}\n`)
  })

  it('hold one build with its licence', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const names = ['@svc/onnxruntime-linux-arm64', '@svc/llama-linux-arm64']
    const [llama, onnx] = makeEnginePackages(folder, (name) => names.includes(name))
    expect((await readdir(onnx?.folder ?? '')).sort()).toEqual([
      ...['LICENSE', 'README.md', 'libonnxruntime.so.1', 'onnxruntime_binding.node', 'package.json'],
    ])
    const licence = await readFile(join(onnx?.folder ?? '', 'LICENSE'), 'utf8')
    expect(licence).toContain('Copyright (c) Microsoft Corporation')
    expect(licence).toContain('Permission is hereby granted')
    const text = await readFile(join(llama?.folder ?? '', 'index.js'), 'utf8')
    expect(text).toBe("export * from '@node-llama-cpp/linux-arm64'\n")
  })
})

describe('publishing', () => {
  const packages = ['old', 'new'].map((name) => ({ name: `@svc/${name}`, version: '1.2.0', folder: `/made/${name}` }))
  const fail = (stderr: string): never => {
    throw Object.assign(new Error('npm failed'), { stderr })
  }

  it('leaves out versions that the registry has', () => {
    const calls: string[] = []
    const npm = (...argv: string[]): string => {
      calls.push(argv.join(' '))
      return argv[1] === '@svc/new@1.2.0' ? fail('npm error code E404') : '1.2.0\n'
    }
    expect(publishNew(packages, npm)).toEqual(['@svc/new@1.2.0'])
    expect(calls.filter((call) => call.startsWith('publish'))).toEqual([
      'publish /made/new --access public --provenance',
    ])
  })

  it('publishes a version of a package that the registry has in other versions only', () => {
    expect(publishNew(packages, () => '')).toEqual(['@svc/old@1.2.0', '@svc/new@1.2.0'])
  })

  it('ends when the registry cannot be asked', () => {
    expect(() => publishNew(packages, () => fail('npm error code ETIMEDOUT'))).toThrow('npm failed')
  })
})
