import { mkdir, writeFile } from 'node:fs/promises'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { buildBackendEnvironment, toChildEnvironment } from './child-environment.ts'

describe('toChildEnvironment', () => {
  it('lets locale, proxy, GPU and library variables through', () => {
    const allowed = {
      PATH: '/bin',
      HOME: '/home/x',
      LC_ALL: 'C',
      https_proxy: 'http://proxy:3128',
      CUDA_VISIBLE_DEVICES: '0',
      HIP_VISIBLE_DEVICES: '1',
      ZE_AFFINITY_MASK: '0.1',
      LD_LIBRARY_PATH: '/opt/lib',
      OMP_NUM_THREADS: '4',
      HF_TOKEN: 'hub',
      LLAMACPP_GRPC_SERVERS: 'a:1',
      LOCALAI_BACKEND_PARENT_WATCH_INTERVAL: '500ms',
      XPU: '1',
    }
    expect(toChildEnvironment(allowed)).toEqual(allowed)
  })

  // verifies residency:environment:allow-list
  it('keeps secrets, our own settings and runtime options back (PROC-2)', () => {
    const secrets = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      DATABASE_URL: 'postgres://u:p@h/d',
      SVC_API_KEY: 'k',
      SVC_AUTH_DATABASE_URL: 'x',
      LOCALAI_API_KEY: 'k',
      LOCALAI_GRPC_AUTH_TOKEN: 'outer',
      AWS_SECRET_ACCESS_KEY: 'k',
      NODE_OPTIONS: '--require /tmp/x.js',
      LD_PRELOAD: '/tmp/x.so',
      PYTHONPATH: '/tmp',
      INTEL_CLOUD_API_KEY: 'k',
      GPU_PROVIDER_TOKEN: 'k',
      nvidia_lower: 'x',
    }
    expect(toChildEnvironment(secrets)).toEqual({})
  })
})

describe('buildBackendEnvironment', () => {
  const base = { parent: {}, modelsPath: '/models', backendFolder: '/nowhere' }

  it('points model caches at the models path unless they are set', async () => {
    const environment = await buildBackendEnvironment({ ...base, parent: { HF_HOME: '/cache' } })
    expect(environment).toEqual({
      HF_HOME: '/cache',
      TRANSFORMERS_CACHE: '/models',
      HUGGINGFACE_HUB_CACHE: '/models',
      LOCALAI_BACKEND_PARENT_WATCH: 'true',
      SVC_BACKEND_STARTER_PID: String(process.pid),
    })
  })

  it('adds the own variables and the token, and keeps the parent watch on', async () => {
    const own = { EXTRA: '1', LOCALAI_BACKEND_PARENT_WATCH: 'false' }
    const environment = await buildBackendEnvironment({ ...base, own, token: 'secret' })
    expect(environment).toMatchObject({
      EXTRA: '1',
      LOCALAI_BACKEND_PARENT_WATCH: 'true',
      SVC_BACKEND_STARTER_PID: String(process.pid),
      LOCALAI_GRPC_AUTH_TOKEN: 'secret',
    })
  })

  it('names the Vulkan drivers that lie beside the backend', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('vulkan', 'icd.d'), { recursive: true })
    for (const name of ['b.json', 'a.json', 'readme.txt']) await writeFile(dir.join('vulkan', 'icd.d', name), '{}')
    const environment = await buildBackendEnvironment({ ...base, backendFolder: dir.path })
    const drivers = ['a.json', 'b.json'].map((name) => dir.join('vulkan', 'icd.d', name)).join(':')
    expect(environment).toMatchObject({ VK_DRIVER_FILES: drivers, VK_ICD_FILENAMES: drivers })
  })
})
