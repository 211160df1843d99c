import { useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMatchRoute, useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMayList } from '../alarm/glance.ts'
import { installationPages, managePagesOf } from '../frame/installation-pages.ts'
import { platformPagesOf } from '../frame/platform-pages.ts'
import { useSignOut } from '../frame/useSignOut.ts'
import {
  devices,
  found,
  functions,
  installations,
  me,
  permissions,
  rights,
  status
} from '../queries.ts'
import { choose as chooseLanguage, type Language, languages, useTexts } from '../texts/texts.ts'
import {
  foundItems,
  type Item,
  installationItems,
  modelItems,
  pageItems,
  platformItems,
  ready,
  type Shown,
  topicItems,
  type Ways
} from './items.ts'
import { recentOf, remember } from './recent.ts'

const MAX_NEAR = 8

/** Everything that can be chosen: of the console itself, of this installation, of the platform. */
export function useChoices(asked: string) {
  const texts = useTexts()
  const router = useRouter()
  const ways = useWays()
  const actions = useActions()
  const user = useQuery(me).data?.id ?? 0
  const list = useQuery(installations).data
  const here = useHere()
  const known = list?.find((one) => one.id === here)
  const id = known?.id ?? 0
  const ofHere = { enabled: known !== undefined }
  const may = useQuery({ ...rights(id), ...ofHere }).data
  const anywhere = useQuery(permissions).data
  const someFunctions = useQuery({ ...functions(id), ...ofHere }).data
  const someDevices = useQuery({ ...devices(id), ...ofHere }).data
  const values = useQuery({ ...status(id), enabled: may?.['status/read'] === true }).data
  const own = useMemo(
    () =>
      ready([
        ...actions,
        ...installationItems(list ?? [], ways),
        ...platformItems(platformPagesOf(anywhere), texts),
        ...(known
          ? [
              ...pageItems(
                known,
                [...installationPages, ...managePagesOf(may, anywhere)],
                texts,
                ways
              ),
              ...modelItems(known, undefined, someFunctions ?? [], ways),
              ...modelItems(known, 'devices', someDevices ?? [], ways),
              ...topicItems(known, values?.map(({ topic }) => topic) ?? [], ways)
            ]
          : [])
      ]),
    [actions, list, known, may, anywhere, someFunctions, someDevices, values, texts, ways]
  )
  const answer = useQuery(found(asked))
  const more = useMemo(
    () => foundItems(answer.data?.results ?? [], list ?? [], ways),
    [answer.data, list, ways]
  )
  const beforeTyping = useMemo((): Shown[] => {
    const items = recentOf(user).flatMap(({ href, ...one }): Item[] => {
      if (href !== undefined) return [{ ...one, group: 'recent', href }]
      const action = actions.find(({ id }) => id === one.id)
      return action ? [{ ...action, group: 'recent' }] : []
    })
    const near = known
      ? pageItems(known, installationPages, texts, ways)
      : installationItems(list ?? [], ways)
    const others = near.filter(({ id }) => !items.some((one) => one.id === id))
    return [
      { group: 'recent', items },
      { group: known ? 'pages' : 'installations', items: others.slice(0, MAX_NEAR) }
    ]
  }, [user, actions, known, list, texts, ways])
  const choose = (item: Item) => {
    remember(user, item)
    if ('run' in item) item.run()
    else router.history.push(item.href)
  }
  return {
    own,
    found: more,
    beforeTyping,
    choose,
    isAsking: answer.isFetching,
    isFailed: answer.isError
  }
}

function useHere(): number | undefined {
  const match = useMatchRoute()({ to: '/installations/$id', fuzzy: true })
  return match ? Number(match.id) : undefined
}

function useWays(): Ways {
  const router = useRouter()
  return useMemo(
    () => ({
      page: (id, page) =>
        router.buildLocation({ to: `/installations/$id/${page}`, params: { id } }).href,
      live: (id, name) =>
        router.buildLocation({ to: '/installations/$id/live', params: { id }, search: { name } })
          .href,
      model: (id, view, model) =>
        router.buildLocation({
          to: '/installations/$id/functions',
          params: { id },
          search: { view, id: model }
        }).href
    }),
    [router]
  )
}

const schemes = ['light', 'dark', 'auto'] as const

function useActions(): Item[] {
  const { account, alarm, frame, palette: t, tell } = useTexts()
  const mayListAlarms = useMayList()
  const { setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  const router = useRouter()
  return useMemo(() => {
    const group = 'actions' as const
    return [
      {
        id: 'to installations',
        group,
        label: frame.installations,
        hint: '',
        href: router.buildLocation({ to: '/installations' }).href
      },
      ...(mayListAlarms
        ? [
            {
              id: 'to alarms',
              group,
              label: alarm.title,
              hint: '',
              href: router.buildLocation({ to: '/alarms' }).href
            }
          ]
        : []),
      {
        id: 'to account',
        group,
        label: account.title,
        hint: '',
        href: router.buildLocation({ to: '/account' }).href
      },
      {
        id: 'to settings',
        group,
        label: tell.title,
        hint: '',
        href: router.buildLocation({ to: '/settings' }).href
      },
      ...schemes.map((scheme) => ({
        id: `colours ${scheme}`,
        group,
        label: `${frame.look}: ${frame[scheme]}`,
        hint: '',
        run: () => setColorScheme(scheme)
      })),
      ...Object.entries(languages).map(([name, { language }]) => ({
        id: `language ${name}`,
        group,
        label: `${t.language}: ${language}`,
        hint: '',
        run: () => chooseLanguage(name as Language)
      })),
      { id: 'api', group, label: frame.api, hint: '', run: () => location.assign('/docs') },
      { id: 'sign out', group, label: frame.signOut, hint: '', run: () => void signOut() }
    ]
  }, [account, alarm, frame, t, tell, mayListAlarms, setColorScheme, signOut, router])
}
