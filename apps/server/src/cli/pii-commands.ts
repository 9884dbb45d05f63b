import { createLocalPrincipal } from '@svc/auth'
import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'
import { type EvaluationOptions, evaluateDetectors } from '@svc/pii/evaluation'
import { listBuiltinGroups } from '@svc/pii/patterns'
import { createConfigStore } from '../catalog/config-store.ts'
import { findModel } from '../catalog/list-models.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { PiiEvalTask } from '../config/load.ts'
import { findDetectorKind } from '../pii/detector-model.ts'
import type { TextScanner } from '../pii/scan-text.ts'
import type { PlatformOptions } from '../platform/open-platform.ts'
import { formatPiiEvaluation } from './pii-report.ts'
import { print } from './terminal.ts'
import { abortOnInterrupt, readLines, refuseCommand, withInference } from './with-inference.ts'

type Find = EvaluationOptions['find']

/** The owner of the events that a command leaves in its own, short-lived audit log. */
const CALLER = createLocalPrincipal('pii-eval')

/**
 * `svc pii eval FILE`: runs detectors over labelled texts and prints what they find and miss.
 *
 * @returns whether every line could be used
 */
export async function evaluatePiiCommand(options: PlatformOptions, task: PiiEvalTask): Promise<boolean> {
  const signal = abortOnInterrupt()
  const models = task.detectors.map((name) => readDetector(options, name))
  const evaluate = (find: Find) =>
    evaluateDetectors({
      lines: readLines(task.file),
      offsetEncoding: task.offsets,
      isKnownGroup: listGroups(models),
      find,
      signal,
    })
  const evaluation =
    models.length === 0
      ? await evaluate(findBuiltins())
      : await withInference(options, { signal }, ({ scanner }) => evaluate(findByScanner(scanner, task.detectors)))
  print(formatPiiEvaluation(task, evaluation))
  if (evaluation.texts === 0) throw refuseCommand(`${task.file} has no labelled text`)
  return evaluation.problemCount === 0
}

/** A detector of the models folder. @throws {SvcError} for a name that no detector has */
function readDetector({ config, demoModels }: PlatformOptions, name: string): ModelConfig {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  const model = findModel(store, name)
  if (findDetectorKind(model) === undefined) throw refuseCommand(`model "${name}" is not a detector`)
  return model
}

/** Tells the groups of patterns; undefined where a recogniser runs, whose groups are seen only in its findings. */
function listGroups(models: readonly ModelConfig[]): EvaluationOptions['isKnownGroup'] {
  if (models.some((model) => findDetectorKind(model) === 'ner')) return undefined
  const groups = new Set(models.length === 0 ? listBuiltinGroups(['all']) : [])
  for (const { piiDetection: { builtins = [], patterns = [], denyList = {}, denyListFiles = {} } = {} } of models) {
    for (const group of listBuiltinGroups(builtins)) groups.add(group)
    for (const group of Object.keys({ ...denyList, ...denyListFiles })) groups.add(group)
    for (const { name } of patterns) if (name !== undefined) groups.add(name)
  }
  return (group) => groups.has(group)
}

function findBuiltins(): Find {
  const detectors = [createDetector({ name: 'all', settings: { builtins: ['all'] } })]
  return async (text, { signal }) => (await analyzeText(text, { detectors, signal })).spans
}

function findByScanner(scanner: TextScanner, detectors: readonly string[]): Find {
  return async (text, { signal }) => {
    const scan = await scanner.scan({
      text,
      detectors,
      offsetEncoding: 'utf16',
      origin: 'pii_analyze',
      principal: CALLER,
      signal,
    })
    return scan.entities.map(({ start, end, entityType, score }) => ({ start, end, group: entityType, score }))
  }
}
