import type { ModelDirectory } from '../catalog/resolve.ts'
import { type Agent, selectSkills, toAgentRun } from './agent.ts'
import { refuseAgent } from './agent-errors.ts'
import type { AgentRun } from './run-job.ts'
import type { RunMessage } from './run-messages.ts'
import { offerSkills, type ReadableSkills } from './skills/skill-tools.ts'

/** Options of {@link createRunPreparer}. */
export interface RunPreparerOptions {
  readonly models: Pick<ModelDirectory, 'find'>
  /** The model of agents that name none; empty = none. */
  readonly defaultModel: () => string
  readonly skills: {
    /** Whether agents are offered skills. */
    readonly isOffered: boolean
    open(): Promise<ReadableSkills>
  }
}

/** Prepares a run of an agent after the conversation so far. @throws {SvcError} `invalid_request` */
export type PrepareRun = (agent: Agent, before: readonly RunMessage[]) => Promise<AgentRun>

/** Creates the preparation of runs: the model, the prompt with its skills, and the tools. */
export function createRunPreparer({ models, defaultModel, skills }: RunPreparerOptions): PrepareRun {
  async function describeSkills({ config }: Agent): Promise<string> {
    const wanted = skills.isOffered ? selectSkills(config) : undefined
    return wanted === undefined ? '' : (await offerSkills(await skills.open(), wanted.names)).prompt
  }
  return async (agent, before) => {
    const skillPrompt = await describeSkills(agent)
    const run = toAgentRun(agent, { defaultModel: defaultModel(), before, skillPrompt })
    if (models.find(run.model)?.serving.kind !== 'agent') return run
    throw refuseAgent(`the agent "${agent.name}" names the agent "${run.model}" as its model: name a model`)
  }
}
