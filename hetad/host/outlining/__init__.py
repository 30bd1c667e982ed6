"""The statements of one inlined call become a function again, when everything else is done."""
