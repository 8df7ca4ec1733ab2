import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Elements that arrive page by page: an effect that begins, and gives an effect for each next page. */
export type Pages<A, E> = Effect.Effect<Effect.Effect<ReadonlyArray<A> | undefined, E>>

/** A service whose streams are pages, for programs that load no streams. */
export type Paged<Service> = { readonly [K in keyof Service]: PagedMember<Service[K]> }

// Every effect is a stream, too, so effects are recognised first.
type PagedMember<Member> =
  Member extends Effect.Effect<infer _A, infer _E, infer _R>
    ? Member
    : Member extends Stream.Stream<infer A, infer E, infer _R>
      ? Pages<A, E>
      : Member extends (...args: infer Args) => infer Result
        ? (...args: Args) => PagedMember<Result>
        : Member

/** Pages, each made from the state that the one before it left. */
export const make = <S, A, E>(
  begin: () => {
    readonly first: S
    readonly next: (state: S) => Effect.Effect<readonly [page: ReadonlyArray<A>, state: Option.Option<S>], E>
  }
): Pages<A, E> =>
  Effect.sync(() => {
    const { first, next } = begin()
    let state = Option.some(first)
    return Effect.suspend(() =>
      Option.isNone(state)
        ? Effect.succeed(undefined)
        : Effect.map(next(state.value), ([page, nextState]) => {
            state = nextState
            return page
          })
    )
  })

/** The elements of all pages as a stream. */
export const toStream = <A, E>(pages: Pages<A, E>): Stream.Stream<A, E> =>
  Stream.unwrap(
    Effect.map(pages, (nextPage) =>
      Stream.repeatEffectChunkOption(
        Effect.flatMap(Effect.mapError(nextPage, Option.some), (page) =>
          page === undefined ? Effect.fail(Option.none()) : Effect.succeed(Chunk.unsafeFromArray(page))
        )
      )
    )
  )
