import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Variables of this server that a backend may see. All others stay here: keys of providers, database addresses,
 * settings of this server.
 */
const ALLOWED_NAMES: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LANG', 'LANGUAGE', 'XDG_CACHE_HOME'],
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'],
  ...['HF_TOKEN', 'HF_ENDPOINT', 'HF_HOME', 'HF_HUB_CACHE', 'HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE'],
  ...['TRANSFORMERS_CACHE', 'HUGGINGFACE_HUB_CACHE'],
  ...['PYTHON_GRPC_MAX_WORKERS', 'LLAMACPP_GRPC_SERVERS', 'LOCALAI_LOG_LEVEL', 'LOCALAI_LOG_FORMAT'],
  ...['LOCALAI_BACKEND_PARENT_WATCH_INTERVAL', 'XPU'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'],
])

/** Prefixes of variables of the locale, GPU runtimes and CPU math libraries. */
const ALLOWED_PREFIXES = [
  ...['LC_', 'CUDA_', 'NVIDIA_', 'NCCL_', 'HIP_', 'ROCM_', 'ROCR_', 'HSA_', 'AMD_', 'GPU_', 'MIOPEN_'],
  ...['ONEAPI_', 'SYCL_', 'ZE_', 'ZES_', 'UR_', 'INTEL_', 'VK_', 'MESA_', 'GGML_', 'METAL_', 'MTL_'],
  ...['OMP_', 'KMP_', 'GOMP_', 'MKL_', 'OPENBLAS_'],
] as const

/** A prefix allows any name, so names that suggest a secret are excluded. */
const SECRET_WORD = /KEY|SECRET|TOKEN|PASS|CREDENTIAL|AUTH/i

const CACHE_NAMES = ['HF_HOME', 'TRANSFORMERS_CACHE', 'HUGGINGFACE_HUB_CACHE'] as const

/** Selects the variables that a backend process may see. */
export function toChildEnvironment(parent: Environment): Record<string, string> {
  const allowed: Record<string, string> = {}
  for (const [name, value] of Object.entries(parent)) {
    if (value !== undefined && isAllowed(name)) allowed[name] = value
  }
  return allowed
}

function isAllowed(name: string): boolean {
  if (ALLOWED_NAMES.has(name)) return true
  return ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)) && !SECRET_WORD.test(name)
}

/**
 * Builds the environment of one backend process: the allowed part of the server's, model caches under the models path
 * unless set, Vulkan drivers beside the backend, and the program's own variables. It also holds the two names that
 * every existing backend reads: its token, and the setting to end together with this server.
 */
export async function buildBackendEnvironment(options: {
  readonly parent: Environment
  readonly modelsPath: string
  readonly backendFolder: string
  readonly own?: Readonly<Record<string, string>> | undefined
  readonly token?: string | undefined
}): Promise<Record<string, string>> {
  const environment = toChildEnvironment(options.parent)
  for (const name of CACHE_NAMES) environment[name] ??= options.modelsPath
  const drivers = await findVulkanDrivers(options.backendFolder)
  if (drivers !== '') {
    environment.VK_DRIVER_FILES = drivers
    environment.VK_ICD_FILENAMES = drivers
  }
  Object.assign(environment, options.own)
  environment.LOCALAI_BACKEND_PARENT_WATCH = 'true'
  // a backend whose server died before the first check would take process 1 for it
  environment.SVC_BACKEND_STARTER_PID = String(process.pid)
  if (options.token !== undefined) environment.LOCALAI_GRPC_AUTH_TOKEN = options.token
  return environment
}

async function findVulkanDrivers(backendFolder: string): Promise<string> {
  const folder = join(backendFolder, 'vulkan', 'icd.d')
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
    .join(':')
}
