import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { pipelinesQuery } from './api.ts'
import { NoPipeline } from './no-pipeline.tsx'
import { TalkView } from './talk-view.tsx'

const route = getRouteApi('/app/talk')

/** Spoken conversations with a pipeline of models. */
export function TalkPage() {
  const { t } = useTranslation('talk')
  const { model } = route.useSearch()
  const navigate = useNavigate()
  const pipelines = useQuery(pipelinesQuery)
  return (
    <>
      <PageHead title={t('title')}>
        <span className="meta notOnPhone">{t('about')}</span>
      </PageHead>
      <div className="page stack">
        <QueryView query={pipelines}>
          {(list) => {
            const pipeline = list.find(({ name }) => name === model) ?? list[0]
            return pipeline === undefined ? (
              <NoPipeline />
            ) : (
              <TalkView
                pipeline={pipeline}
                names={list.map(({ name }) => name)}
                onChoose={(name) => void navigate({ to: '/app/talk', search: { model: name }, replace: true })}
              />
            )
          }}
        </QueryView>
      </div>
    </>
  )
}
