import type { ModelProblem, SystemReply } from '@svc/wire/native'
import type { ConfigProblem } from '../../../catalog/config-problem.ts'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { LoadFailure } from '../../../residency/load-failures.ts'

/** Loads that failed, and mistakes in model files, as the reply has them. */
export type ModelProblems = Required<Pick<SystemReply, 'load_failures' | 'model_problems'>>

/** Mistakes that a reply has at most. */
const MAX_PROBLEMS = 500

/** Lists the problems that keep models from serving. Only the list of models is read from the disk. */
export function listModelProblems(
  modelFiles: Pick<ConfigStore, 'list' | 'problems' | 'get'>,
  failures: readonly LoadFailure[],
): ModelProblems {
  const models = modelFiles.list().filter(({ source }) => source === 'yaml')
  const names = new Map(models.map(({ file, name }) => [file, name]))
  return {
    load_failures: failures.map(({ model, error, at }) => ({ model, error, at: new Date(at).toISOString() })),
    model_problems: modelFiles
      .problems()
      .slice(0, MAX_PROBLEMS)
      .map((problem) => toWireProblem(problem, names.get(problem.file) ?? findEditName(problem.file, modelFiles))),
  }
}

/** The name of a file without a model, by which the editor opens it; undefined where a model of another file has it. */
function findEditName(file: string, modelFiles: Pick<ConfigStore, 'get'>): string | undefined {
  const [, stem] = /^(.+)\.ya?ml$/i.exec(file) ?? []
  return stem === undefined || modelFiles.get(stem) !== undefined ? undefined : stem
}

function toWireProblem({ file, line, key, reason }: ConfigProblem, model: string | undefined): ModelProblem {
  return {
    file,
    reason,
    ...(line === undefined ? {} : { line }),
    ...(key === undefined ? {} : { key }),
    ...(model === undefined ? {} : { model }),
  }
}
