import type { FurtherModels } from '../catalog/further-models.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { type Agent, toAgentModel } from './agent.ts'

/** The agents as models, as they were last read. */
export interface AgentModels extends FurtherModels {
  /** Takes the agents of this moment. */
  set(agents: readonly Agent[]): void
}

/** Creates an empty list. */
export function createAgentModels(): AgentModels {
  let models: ReadonlyMap<string, ModelConfig> = new Map()
  return {
    set(agents) {
      models = new Map(agents.map((agent) => [agent.name, toAgentModel(agent)]))
    },
    find: (name) => models.get(name),
    list: () => [...models.values()],
  }
}
