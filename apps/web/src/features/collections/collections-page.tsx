import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AgentsFrame } from '../../components/agents/agents-frame.tsx'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { NameDialog } from '../../components/agents/name-dialog.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { collectionsQuery, createCollection, deleteCollection } from './api.ts'

/** Collections: documents that agents search. */
export function CollectionsPage() {
  const { t } = useTranslation('collections')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const collections = useQuery(collectionsQuery)
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<string>()
  const add = (
    <Button kind="primary" icon="plus" disabled={isOffline} onClick={() => setMaking(true)}>
      {t('add')}
    </Button>
  )
  return (
    <AgentsFrame title={t('agents:tab.collections')} action={add}>
      <QueryView query={collections} lines={4}>
        {(names) =>
          names.length === 0 ? (
            <EmptyState icon="file" title={t('none')} action={add}>
              {t('noneAbout')}
            </EmptyState>
          ) : (
            <CollectionTable names={names} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {isMaking && (
        <NameDialog
          title={t('add')}
          action={t('make')}
          field={{ label: t('name'), hint: t('nameHint'), maxLength: 128, pattern: '[^\\/\\\\]+' }}
          create={createCollection}
          onMade={(name) => void navigate({ to: '/app/agents/collections/$name', params: { name } })}
          onClose={() => setMaking(false)}
        >
          <p>{t('addAbout')}</p>
        </NameDialog>
      )}
      {doomed !== undefined && (
        <DeleteDialog
          title={t('deleteNamed', { name: doomed })}
          action={t('delete')}
          done={t('deleted', { name: doomed })}
          remove={() => deleteCollection(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteAbout')}
        </DeleteDialog>
      )}
    </AgentsFrame>
  )
}

function CollectionTable({
  names,
  onDelete,
}: {
  readonly names: readonly string[]
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('collections')
  const isOffline = useConnection().state === 'offline'
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <td className="mainCell clip">
              <Link className="mainLink medium" to="/app/agents/collections/$name" params={{ name }}>
                {name}
              </Link>
            </td>
            <td className="endCell number">
              <IconButton
                small
                icon="trash"
                label={t('deleteNamed', { name })}
                disabled={isOffline}
                onClick={() => onDelete(name)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
