import { queryOptions, useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../api-client.ts'
import { systemQuery } from '../server-state.ts'
import { useSession } from '../session.ts'
import { onSignOut } from '../viewer-data.ts'

/** A model that answers in a chat. */
export interface ChatModel {
  readonly id: string
  /** Whether it can think before it answers. */
  readonly canThink: boolean
  /** Kinds of input besides text. */
  readonly inputs: ReadonlySet<string>
  /** Whether it is in memory; undefined where the viewer may not know. */
  readonly isLoaded: boolean | undefined
  /** Whether the server's administrators have chosen it for new chats. */
  readonly isDefault?: boolean
  /** Whether private data in messages is masked or refused. */
  readonly isFiltered?: boolean
  /** Whether it is connected to servers of tools. */
  readonly hasTools?: boolean | undefined
  /** Whether administrators can read its conversations in traces. */
  readonly isTraced?: boolean
}

const capabilitiesQuery = queryOptions({
  queryKey: ['models', 'chat'],
  queryFn: ({ signal }) => unwrap(api.GET('/v1/models/capabilities', { signal })),
})

/** The models that can chat; undefined while they are not known. */
export interface ChatModels {
  readonly models: readonly ChatModel[] | undefined
  readonly error: unknown
  /** Whether the server is asked for them right now. */
  readonly isFetching: boolean
  /** Asks the server again. */
  readonly refetch: () => Promise<unknown>
}

/** The models that can chat. */
export function useChatModels(): ChatModels {
  const { viewer } = useSession()
  const { data, error, isFetching, refetch } = useQuery(capabilitiesQuery)
  const loaded = useQuery({ ...systemQuery, enabled: viewer.isAdmin }).data?.loaded_models
  const models = data?.data.flatMap(
    ({ id, capabilities, input_modalities, default: isDefault, filtered, tools, traced }): ChatModel[] =>
      capabilities.includes('chat')
        ? [
            {
              id,
              canThink: capabilities.includes('thinking'),
              inputs: new Set(input_modalities),
              isLoaded: loaded?.some((model) => model.id === id),
              isDefault: isDefault === true,
              isFiltered: filtered === true,
              hasTools: tools,
              isTraced: traced === true,
            },
          ]
        : [],
  )
  return { models, error, isFetching, refetch }
}

const LAST_MODEL = 'svc-chat-model'

/** The model for a new chat: the last one that was chosen, else the server's default, one that is loaded, or the first. */
export function findDefaultModel(models: readonly ChatModel[]): string {
  const last = localStorage.getItem(LAST_MODEL)
  const model =
    models.find(({ id }) => id === last) ??
    models.find(({ isDefault }) => isDefault === true) ??
    models.find(({ isLoaded }) => isLoaded === true) ??
    models[0]
  return model?.id ?? ''
}

onSignOut(() => localStorage.removeItem(LAST_MODEL))

export function keepLastModel(model: string): void {
  localStorage.setItem(LAST_MODEL, model)
}
