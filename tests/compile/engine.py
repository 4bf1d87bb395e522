"""Whether texts are sentences of a grammar, by the judgement of an engine that knows nothing of the language.

    engine.py llguidance|lark|xgrammar GRAMMAR FILE…

The first two read the notation of Lark, the third GBNF. Prints `yes FILE` or
`no FILE: why` for each text.
"""

import sys


def accepts_llguidance(grammar):
    import llguidance

    tokenizer = llguidance.LLTokenizer("byte")
    compiled = llguidance.LLMatcher.grammar_from_lark(grammar)

    def accepts(text):
        matcher = llguidance.LLMatcher(tokenizer, compiled)
        if matcher.is_error():
            raise SystemExit("the grammar is refused: " + matcher.get_error())
        tokens = list(text.encode())
        taken = matcher.try_consume_tokens(tokens)
        if taken < len(tokens):
            return "stopped before " + repr(text.encode()[taken : taken + 40].decode(errors="replace"))
        return None if matcher.is_accepting() else "it is not complete"

    return accepts


def accepts_xgrammar(grammar):
    # It wants torch for masks of tokens, which are of no use here, and torch is large.
    from unittest.mock import MagicMock

    import tvm_ffi  # noqa: F401 (before torch seems to be there)

    for name in ("torch", "torch.distributed", "torch.utils", "transformers"):
        sys.modules[name] = MagicMock()
    import xgrammar

    tokens = [bytes([byte]) for byte in range(256)] + [b"<eos>"]
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(tokens, stop_token_ids=[256]), max_threads=1)
    compiled = compiler.compile_grammar(xgrammar.Grammar.from_ebnf(grammar))

    def accepts(text):
        matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
        if not matcher.accept_string(text):
            return "it is refused"
        return None if matcher.is_completed() else "it is not complete"

    return accepts


def accepts_lark(grammar):
    import lark

    parser = lark.Lark(grammar, parser="earley", ambiguity="resolve")

    def accepts(text):
        try:
            parser.parse(text)
        except lark.exceptions.LarkError as error:
            return " ".join(str(error).split())[:200]
        return None

    return accepts


def main():
    engine, path, *files = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        grammar = file.read()
    engines = {"llguidance": accepts_llguidance, "lark": accepts_lark, "xgrammar": accepts_xgrammar}
    accepts = engines[engine](grammar)
    for name in files:
        with open(name, encoding="utf-8", newline="") as file:
            why = accepts(file.read())
        print(f"no {name}: {why}" if why else f"yes {name}", flush=True)


main()
