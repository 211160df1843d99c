import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listOf, type Model, type Place, words } from '../modelx/api.ts'
import { refusal } from '../modelx/Details.tsx'
import type { Selection } from '../modelx/ModelTable.tsx'
import { queryClient, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { CsvIn } from './CsvIn.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { WorkPanel } from './WorkPanel.tsx'
import { type Progress, type Task, Work } from './work.ts'

const nothing: ReadonlySet<number> = new Set()

type Of = { place: Place; models: readonly Model[]; types: readonly string[]; mayAdd: boolean }

/** Changes of many functions or devices at once: what is selected, the bar above it, the progress. */
export function useMany({ place, models, types, mayAdd }: Of) {
  const texts = useTexts()
  const { resource } = words[place.kind]
  const known = useQuery(rights(place.installation_id)).data
  const may = {
    edit: known?.[`${resource}/update`] === true,
    delete: known?.[`${resource}/create_delete`] === true
  }
  const of = `${place.kind} ${place.installation_id}`
  const [chosen, setChosen] = useState({ of, ids: nothing })
  const [running, setRunning] = useState<{ work: Work; title: string; progress: Progress }>()
  const ids = chosen.of === of ? chosen.ids : nothing
  const selected = models.filter(({ id }) => ids.has(id))
  const clear = () => setChosen({ of, ids: nothing })
  const start = (title: string, tasks: readonly Task[]) => {
    const work = new Work(tasks, {
      whyOf: (error) => refusal(error, `${resource}/update`, texts),
      show: (progress) => setRunning({ work, title, progress })
    })
    setRunning({ work, title, progress: work.progress })
    void work
      .run()
      .finally(() => queryClient.invalidateQueries({ queryKey: listOf(place).queryKey }))
  }
  const selection: Selection = { ids, set: (next) => setChosen({ of, ids: next }) }
  return {
    selection,
    bar: selected.length > 0 && (
      <SelectionBar {...{ place, types, may, clear, start }} models={selected} />
    ),
    csvIn: may.edit && <CsvIn {...{ place, models, mayAdd, start }} />,
    work: running && <WorkPanel {...running} close={() => setRunning(undefined)} />
  }
}
