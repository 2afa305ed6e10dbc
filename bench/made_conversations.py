"""Long conversations in German and Polish that nobody recorded: a workshop's bookings, and deliveries of a warehouse.

Each is an agent with a few tools of that language. Results are JSON (German) or lines (Polish); the person comes back
now and then with another thing to do, and the agent with what it read some turns ago: numbers of orders, amounts,
dates, names of people, addresses, measures. The same seed makes the same conversation.
"""

import json
from collections.abc import Iterator
from random import Random

from callsheet.core.history.recorded.entries import entry
from callsheet.core.history.terms import Count
from callsheet.model.history import Entry
from callsheet.model.message import CallBlock, Message, ResultBlock, TextBlock
from callsheet.model.transcript import Speaker

TURNS, LATER = 70, 12
"""How often the agent calls a tool, and how many results back it may reach for what it needs."""
PEOPLE = ("Jürgen Weiß", "Anke Schröder", "Mehmet Öztürk", "Zofia Król", "Łukasz Żak", "Małgorzata Dąbek", "Ivo Nowák")
STREETS = ("Lindenstraße 14", "Am Mühlbach 3", "ul. Długa 27/4", "aleja Róż 8", "Großer Ring 101")


def made(language: str, seed: int, count: Count) -> tuple[Entry, ...]:
    """The messages of one conversation, "de" or "pl"."""
    return tuple(
        entry(number, message, count, speaker) for number, (speaker, message) in enumerate(said(language, Random(seed)))
    )


def said(language: str, random: Random) -> Iterator[tuple[Speaker, Message]]:
    german = language == "de"
    rule = (
        "Bitte bring die Aufträge vom März in Ordnung. Ändere niemals etwas in der Tabelle lager_alt."
        if german
        else "Uporządkuj proszę dostawy z marca. Nigdy nie zmieniaj niczego w tabeli magazyn_stary."
    )
    yield "person", Message("user", (TextBlock(text=rule),))
    seen: list[dict[str, object]] = []
    for turn in range(TURNS):
        call = CallBlock(id=f"c{turn}", **(german_call if german else polish_call)(random, seen[-LATER:]))
        order = german_order(random) if german else polish_order(random)
        words = f"Ich sehe mir {order['nr']} an." if german else f"Teraz sprawdzam {order['nr']}."
        yield "model", Message("assistant", (TextBlock(text=words), call))
        text = json.dumps(order, ensure_ascii=False) if german else lines(order)
        filler = noise(random, german)
        yield "tool", Message("user", (ResultBlock(call_id=f"c{turn}", blocks=(TextBlock(text=f"{text}\n{filler}"),)),))
        seen.append(order)
        if turn % 11 == 10:
            told = (
                f"Ich lasse {order['nr']} offen, denn der Betrag {order['betrag']} passt nicht. Soll ich weitermachen?"
                if german
                else f"Zostawiam {order['nr']}, bo kwota {order['kwota']} się nie zgadza. Czy mam iść dalej?"
            )
            yield "model", Message("assistant", (TextBlock(text=told),))
            yield "person", Message("user", (TextBlock(text="Ja, bitte." if german else "Tak, proszę."),))
    yield "model", Message("assistant", (TextBlock(text="Fertig." if german else "Gotowe."),))


def german_order(random: Random) -> dict[str, object]:
    return {
        "nr": f"AUF-{random.randint(10_000, 99_999)}",
        "kunde": random.choice(PEOPLE),
        "anschrift": random.choice(STREETS),
        "betrag": f"{random.randint(1, 9)}.{random.randint(100, 999)},{random.randint(10, 99)} €",
        "termin": f"{random.randint(1, 28):02}.{random.randint(1, 12):02}.2027",
        "iban": f"DE{random.randint(10**10, 10**11)}",
        "gewicht": f"{random.randint(2, 80)},{random.randint(1, 9)} kg",
        "teile": [f"T{random.randint(100, 999)}-{random.choice('ABCX')}" for _ in range(3)],
    }


def german_call(random: Random, seen: list[dict[str, object]]) -> dict[str, object]:
    if not seen:
        return {"name": "auftrag_lesen", "arguments": {"nummer": "erster"}}
    one, kind = random.choice(seen), random.randrange(3)
    if kind == 0:
        return {"name": "auftrag_lesen", "arguments": {"nummer": one["nr"]}}
    if kind == 1:
        given = {"iban": one["iban"], "betrag": one["betrag"], "empfaenger": one["kunde"]}
        return {"name": "zahlung_pruefen", "arguments": given}
    parts = one["teile"]
    assert isinstance(parts, list)
    given = {"anschrift": one["anschrift"], "termin": one["termin"], "teil": parts[0], "gewicht": one["gewicht"]}
    return {"name": "versand_planen", "arguments": given}


def polish_order(random: Random) -> dict[str, object]:
    return {
        "nr": f"WZ/{random.randint(1000, 9999)}/03/2027",
        "odbiorca": random.choice(PEOPLE),
        "adres": random.choice(STREETS),
        "kwota": f"{random.randint(100, 9999)},{random.randint(10, 99)} zł",
        "data": f"2027-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
        "paczka": f"{random.randrange(16**8):08x}",
        "temperatura": f"{random.randint(2, 25)},{random.randint(0, 9)} °C",
        "karta": f"https://magazyn.example/karta/{random.randint(1000, 9999)}",
    }


def polish_call(random: Random, seen: list[dict[str, object]]) -> dict[str, object]:
    if not seen:
        return {"name": "czytaj_dostawe", "arguments": {"numer": "pierwsza"}}
    one, kind = random.choice(seen), random.randrange(3)
    if kind == 0:
        return {"name": "czytaj_dostawe", "arguments": {"numer": one["nr"], "karta": one["karta"]}}
    if kind == 1:
        given = {"kwota": one["kwota"], "odbiorca": one["odbiorca"], "data": one["data"]}
        return {"name": "wystaw_korekte", "arguments": given}
    given = {"paczka": one["paczka"], "adres": one["adres"], "temperatura": one["temperatura"]}
    return {"name": "przekieruj", "arguments": given}


def lines(order: dict[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in order.items())


def noise(random: Random, german: bool) -> str:
    """What a real tool says beside what anyone needs: a log of so many lines."""
    what = (
        ("Eintrag geprüft", "Lager gezählt", "keine Änderung")
        if german
        else ("wpis sprawdzony", "stan policzony", "bez zmian")
    )
    times = (f"{random.randint(6, 19):02}:{random.randint(0, 59):02}" for _ in range(random.randint(2, 30)))
    return "\n".join(f"{each} {random.choice(what)} ({random.randint(1, 40)})" for each in times)
