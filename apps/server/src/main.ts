#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { demoModels } from '@svc/demo-models'
import { LIST_FILE } from './api/web/web-list.ts'
import type { BuiltInBackend } from './backends/catalog.ts'
import { formatGreeting, toReachableUrl, wantsColor } from './cli/greeting.ts'
import { stopOnSignals } from './cli/stop-on-signals.ts'
import { print, printColored, printError } from './cli/terminal.ts'
import { systemClock } from './clock.ts'
import { compose } from './compose.ts'
import { type Loaded, loadConfig } from './config/load.ts'
import { StartRefused } from './config/start-refused.ts'
import { createLogger, isTextLog, type RootLogger } from './logging/log.ts'
import { logRuntimeWarnings } from './logging/runtime-warnings.ts'
import type { PlatformOptions } from './platform/open-platform.ts'
import { formatVersion, readVersion } from './version.ts'

// A closed pipe behind stdout or stderr must not end the server.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

/** Finds the shipped backends by their names in model files. Their code is never imported. */
function findShippedBackends(): Readonly<Record<string, BuiltInBackend>> {
  const require = createRequire(import.meta.url)
  const llama = findProgram(require.resolve('@svc/backend-llama/package.json'))
  const onnx = findProgram(require.resolve('@svc/backend-onnx/package.json'))
  const speech = findProgram(require.resolve('@svc/backend-speech/package.json'))
  return {
    llama,
    'llama-cpp': llama,
    onnx,
    transformers: onnx,
    sentencetransformers: onnx,
    rerankers: onnx,
    'privacy-filter': onnx,
    speech,
    whisper: speech,
    'faster-whisper': speech,
    'sherpa-onnx': speech,
    piper: speech,
    kokoro: speech,
    'silero-vad': speech,
    flite: speech,
  }
}

/** Finds the program of a backend's package. */
function findProgram(manifest: string): BuiltInBackend {
  const fromSource = import.meta.url.endsWith('.ts')
  const entry = fileURLToPath(new URL(fromSource ? './src/main.ts' : './dist/main.js', `file://${manifest}`))
  return { entry, execArgv: fromSource ? ['--conditions=@svc/source', '--import', 'tsx'] : [] }
}

/** Finds the folder of the web interface: the build has put it beside this file. */
function findWebInterface(): string | undefined {
  const folder = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../dist/web/' : './web/', import.meta.url))
  return existsSync(join(folder, LIST_FILE)) ? folder : undefined
}

/** The parts of a server that logs this way. */
function toServerParts({ config, sources }: Loaded, log: RootLogger): PlatformOptions {
  return {
    config,
    sources,
    version: formatVersion(readVersion()),
    log,
    clock: systemClock,
    environment: process.env,
    builtInBackends: findShippedBackends(),
    demoModels,
    webFolder: findWebInterface(),
  }
}

/** The parts of a server inside a command, whose log is not among the lines that the command prints. */
function toPlatformOptions(loaded: Loaded): PlatformOptions {
  const destination = { write: (line: string) => void process.stderr.write(line) }
  return toServerParts(loaded, createLogger({ level: 'warn', format: 'text', destination }))
}

async function run(loaded: Loaded & { readonly models: readonly string[] }): Promise<void> {
  const { config, warnings } = loaded
  const started = process.uptime()
  const log = createLogger({
    level: config.debug ? 'debug' : config.logLevel,
    format: config.logFormat,
    dedup: config.logDedup,
  })
  logRuntimeWarnings(log)
  for (const warning of warnings) log.warn({}, warning)
  const models = [...config.models, ...loaded.models]
  const parts = toServerParts({ ...loaded, config: { ...config, models } }, log)
  if (config.preloadBackendOnly) return installThenEnd(parts)
  const { version } = parts
  const server = await compose({ ...parts, onListening: (listening) => void stopOnSignals(listening, log) })
  log.info({ url: server.url, version, seconds: Number((process.uptime() - started).toFixed(2)) }, 'listening')
  if (process.stdout.isTTY && isTextLog(config.logFormat)) {
    const { needsKey } = server
    const url = toReachableUrl(config.externalBaseUrl ?? server.url)
    printColored(
      formatGreeting({
        url,
        version,
        needsKey,
        model: server.defaultModel(),
        hasInterface: parts.webFolder !== undefined && !config.disableWebui,
        color: wantsColor(process.env),
      }),
    )
  }
}

/** Runs a worker of several machines. */
async function runWorker(loaded: Loaded): Promise<void> {
  const { config, warnings } = loaded
  const log = createLogger({
    level: config.debug ? 'debug' : config.logLevel,
    format: config.logFormat,
    dedup: config.logDedup,
  })
  logRuntimeWarnings(log)
  for (const warning of warnings) log.warn({}, warning)
  return (await import('./cli/worker-command.ts')).runWorker(toServerParts(loaded, log))
}

/** Installs the models and backends that the configuration asks for, without an API. The first signal pauses it. */
async function installThenEnd(parts: PlatformOptions): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const { installOnly } = await import('./cli/install-only.ts')
  process.exit((await installOnly(parts, { signal: stopping.signal })) ? 0 : 1)
}

/** Ends after a chat. Once it was interrupted, no reader that stalls keeps the program. */
function endChat(exitCode: number): void {
  process.exitCode = exitCode
  if (exitCode > 1) process.exit()
}

const commands = () => import('./cli/commands.ts')
const routerCommands = () => import('./cli/router-commands.ts')
const piiCommands = () => import('./cli/pii-commands.ts')
const interceptionCommands = () => import('./cli/interception-commands.ts')
const peerCommands = () => import('./cli/peer-commands.ts')

async function main(): Promise<void> {
  const command = loadConfig({ argv: process.argv.slice(2), env: process.env, cwd: process.cwd() })
  switch (command.kind) {
    case 'help':
      print(command.text)
      return
    case 'version':
      print(`${formatVersion(readVersion())}\n`)
      return
    case 'usage-error':
      printError(`${command.message}\n`)
      process.exitCode = command.exitCode
      return
    case 'models-list':
      return (await commands()).listModelsCommand(command.config, { demoModels, json: command.json })
    case 'models-add':
      return (await commands()).addModelCommand(command.config, command.source)
    case 'models-convert':
      return (await import('./cli/convert-command.ts')).convertModelCommand(command.config, command.source)
    case 'remote':
      return (await import('./cli/remote-commands.ts')).runRemoteCommand(toPlatformOptions(command), command.remote)
    case 'nodes':
      return (await import('./cli/node-commands.ts')).runNodeCommand(command)
    case 'chat':
      return endChat(
        await (await import('./cli/chat/chat-command.ts')).runChatCommand(toPlatformOptions(command), command.chat),
      )
    case 'models-show':
      return (await commands()).showModelCommand(command.config, { name: command.name, demoModels })
    case 'models-delete':
      return (await commands()).deleteModelCommand(command.config, { name: command.name, demoModels })
    case 'models-export':
      return (await commands()).exportModelCommand(command.config, { name: command.name, demoModels })
    case 'models-schema':
      return (await commands()).printModelSchemaCommand()
    case 'prices-list': {
      const { listPricesCommand } = await import('./cli/price-commands.ts')
      if (!(await listPricesCommand(command.config, { demoModels, json: command.json }))) process.exitCode = 1
      return
    }
    case 'prices-check':
      if (!(await (await import('./cli/price-commands.ts')).checkPricesCommand(command.file))) process.exitCode = 1
      return
    case 'openapi':
      return (await import('./cli/openapi-command.ts')).printOpenApiCommand(toPlatformOptions(command))
    case 'mcp':
      await (await import('./cli/mcp/mcp-command.ts')).runMcpCommand(command.config)
      // Connections that nobody uses any more would keep the program.
      return process.exit()
    case 'backends-list':
      return (await commands()).listBackendsCommand(command.config, {
        builtIn: Object.keys(findShippedBackends()),
        json: command.json,
      })
    case 'p2p-token':
      return (await peerCommands()).printTokenCommand()
    case 'cluster-keys':
      return (await import('./cli/cluster-keys-command.ts')).writeClusterKeys(command.folder)
    case 'p2p-worker':
      process.exitCode = await (await peerCommands()).runWorkerCommand(command, process.env)
      return
    case 'mitm-ca':
      return (await interceptionCommands()).showAuthorityCommand(command.config)
    case 'router-fit':
      return (await routerCommands()).fitRouterCommand(toPlatformOptions(command), command)
    case 'router-eval':
      if (!(await (await routerCommands()).evaluateRouterCommand(toPlatformOptions(command), command))) {
        process.exitCode = 1
      }
      return
    case 'pii-eval':
      if (!(await (await piiCommands()).evaluatePiiCommand(toPlatformOptions(command), command))) process.exitCode = 1
      return
    case 'accounts': {
      const { config, command: asked, json } = command
      const version = formatVersion(readVersion())
      const { runAccountCommand } = await import('./cli/account-commands.ts')
      print(await runAccountCommand({ config, version, command: asked, input: process.stdin, json }))
      return
    }
    case 'worker':
      return runWorker(command)
    case 'run':
      return run(command)
  }
}

main().catch((error: unknown) => {
  printError(`svc: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof StartRefused ? error.exitCode : 1)
})
