import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { IconName } from '../components/ui/icon.tsx'
import { originsQuery } from '../features/settings/api.ts'
import { useCapabilities } from '../lib/capabilities.ts'
import { useChatEntries } from '../lib/chat/use-chats.ts'
import { installedModelsQuery } from '../lib/server-state.ts'
import { hasFeature, useSession } from '../lib/session.ts'
import { toSectionId, useSettingTexts } from '../lib/setting-texts.ts'
import { chooseTheme } from '../lib/theme.ts'
import { type Command, findCommands, isReference } from './find-commands.ts'
import { useVisiblePages } from './navigation.tsx'

/** Everything that the palette can find for the viewer. @param text the typed text */
export function useCommands(text: string): readonly Command[] {
  const pages = usePageCommands()
  const actions = useActionCommands()
  const models = useModelCommands()
  const chats = useChatCommands()
  const settings = useSettingCommands()
  const references = useReferenceCommands(text.trim())
  return findCommands([...pages, ...actions, ...models, ...chats, ...settings], text).concat(references)
}

function usePageCommands(): readonly Command[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return useVisiblePages().map(({ id, path, icon }) => ({
    id,
    kind: 'page',
    icon,
    text: t(`nav.${id}`),
    run: () => void navigate({ to: `/app/${path}` as '/app' }),
  }))
}

function useActionCommands(): readonly Command[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { viewer } = useSession()
  const { model_editor: hasEditor } = useCapabilities()
  const go = (id: string, icon: IconName, to: string): Command => ({
    id: `do-${id}`,
    kind: 'action',
    icon,
    text: t(`palette.action.${id}`),
    run: () => void navigate({ to: to as '/app' }),
  })
  const themes = (['light', 'dark', 'system'] as const).map(
    (theme): Command => ({
      id: `theme-${theme}`,
      kind: 'action',
      icon: 'theme',
      text: t(`theme.${theme}`),
      run: () => chooseTheme(theme),
    }),
  )
  return [
    ...(hasFeature(viewer, 'chat') ? [go('newChat', 'plus', '/app/chat')] : []),
    ...(viewer.isAdmin && hasEditor ? [go('addModel', 'plus', '/app/models/new')] : []),
    ...(viewer.kind === 'account' ? [go('keys', 'key', '/app/account/keys')] : []),
    ...(viewer.kind === 'account' && viewer.isAdmin ? [go('invites', 'share', '/app/users/invites')] : []),
    ...themes,
  ]
}

function useModelCommands(): readonly Command[] {
  const navigate = useNavigate()
  const { viewer } = useSession()
  const models = useQuery(installedModelsQuery).data ?? []
  return models.map(({ id, backend }) => ({
    id: `model-${id}`,
    kind: 'model',
    icon: 'cube',
    text: id,
    words: backend,
    run: () =>
      void (viewer.isAdmin
        ? navigate({ to: '/app/models', search: { view: 'installed', model: id } })
        : navigate({ to: `/app/chat/${encodeURIComponent(id)}` as '/app' })),
  }))
}

function useChatCommands(): readonly Command[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (useChatEntries() ?? []).map(({ id, title, model }) => ({
    id: `chat-${id}`,
    kind: 'chat',
    icon: 'chat',
    text: title || t('palette.untitled'),
    words: model,
    run: () => void navigate({ to: '/app/chat/$id', params: { id } }),
  }))
}

function useSettingCommands(): readonly Command[] {
  const navigate = useNavigate()
  const describe = useSettingTexts()
  const { viewer } = useSession()
  const { runtime_settings: isServed } = useCapabilities()
  const { data = [] } = useQuery({ ...originsQuery, enabled: viewer.isAdmin && isServed })
  return data
    .filter(({ locked_by }) => locked_by !== 'refused' && locked_by !== 'branding')
    .map((origin): Command => {
      const { label, about } = describe(origin)
      return {
        id: `setting-${origin.key}`,
        kind: 'setting',
        icon: 'settings',
        text: label,
        words: `${origin.key} ${origin.key.replaceAll('_', ' ')} ${about}`,
        run: () =>
          void navigate({
            to: '/app/settings/$section',
            params: { section: toSectionId(origin.heading) },
            hash: origin.key,
          }),
      }
    })
}

/** Leads from a correlation id to the traces and events of its request. */
function useReferenceCommands(text: string): readonly Command[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { viewer } = useSession()
  const { traces, events } = useCapabilities()
  if (!viewer.isAdmin || !isReference(text)) return []
  const find = (id: 'find-trace' | 'find-event', run: () => void): Command => ({
    id,
    kind: 'reference',
    icon: id === 'find-trace' ? 'traces' : 'events',
    text: t(id === 'find-trace' ? 'palette.findTrace' : 'palette.findEvents', { id: text }),
    run,
  })
  const toTraces = { to: '/app/traces' as string, search: { q: text, hours: 168 } as object }
  const toEvents = { to: '/app/events' as string, search: { correlation: text } as object }
  return [
    ...(traces ? [find('find-trace', () => void navigate(toTraces))] : []),
    ...(events ? [find('find-event', () => void navigate(toEvents))] : []),
  ]
}
